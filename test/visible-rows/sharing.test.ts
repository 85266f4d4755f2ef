import { expect, test } from 'vitest';
import { serveNotebooks } from './serve-notebooks.ts';

/* What depends on the caller is shared with nobody, and the rest still is: API Platform's CVE-2019-1000011 and the like. */

const { as } = await serveNotebooks();
const callers = await Promise.all([as('ann'), as('bob'), as('staff')]);

/** Each caller asks so often at once, and all of them so many times: on a busy machine more at once aren't answered in time. */
const AT_ONCE = 5;
const TIMES = 4;

async function answersTogether<Answer>(
  ask: (caller: (typeof callers)[number]) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const asked = Array.from({ length: AT_ONCE }, () => callers.map(ask)).flat();
    answers.push(...(await Promise.all(asked)));
  }
  return answers;
}

function repeated<Answer>(alone: readonly Answer[]): Answer[] {
  return Array.from({ length: AT_ONCE * TIMES }, () => alone).flat();
}

test.each([
  ['a list', '{ notes { title } }', 'notes'],
  ['a relation', '{ topics { notes { title } } }', 'topics'],
  ['what a resolver of the store’s own asks for', '{ own(ask: "counted") }', 'own'],
  ['a count', '{ notesConnection(first: 1) { totalCount } }', 'notesConnection'],
])('%s is each caller’s own, however many ask at once', async (_what, query) => {
  const alone = await Promise.all(callers.map(async ({ graphql }) => (await graphql(query)).text));
  expect(new Set(alone).size).toBe(callers.length);
  const together = await answersTogether(async ({ graphql }) => (await graphql(query)).text);
  expect(together).toEqual(repeated(alone));
});

test('a response of REST is, too', async () => {
  const counts = await answersTogether(async ({ request }) =>
    (await request('/v1/notes')).headers.get('X-Total-Count'),
  );
  expect(counts).toEqual(repeated(['2', '3', '6']));
});
