import { expect, test } from 'vitest';
import { createStore } from '../../packages/gateway/src/store.ts';
import { models } from './generated/batched-models.ts';
import { createApi } from './notebooks.ts';
import { serveNotebooks } from './serve-notebooks.ts';

/* What depends on the caller is shared with nobody, and the rest still is: API Platform's CVE-2019-1000011 and the like. */

const { as } = await serveNotebooks();
const callers = await Promise.all([as('ann'), as('bob'), as('staff')]);
const ROUNDS = 20;

test.each([
  ['a list', '{ notes { title } }', 'notes'],
  ['a relation', '{ topics { notes { title } } }', 'topics'],
  ['what a resolver of the store’s own asks for', '{ own(ask: "counted") }', 'own'],
  ['a count', '{ notesConnection(first: 1) { totalCount } }', 'notesConnection'],
])('%s is each caller’s own, however many ask at once', async (_what, query) => {
  const alone = await Promise.all(callers.map(async ({ graphql }) => (await graphql(query)).text));
  expect(new Set(alone).size).toBe(callers.length);
  const together = await Promise.all(
    Array.from({ length: ROUNDS }, () =>
      callers.map(async ({ graphql }) => (await graphql(query)).text),
    ).flat(),
  );
  expect(together).toEqual(Array.from({ length: ROUNDS }, () => alone).flat());
});

test('a response of REST is, too', async () => {
  const answers = await Promise.all(
    Array.from({ length: ROUNDS }, () =>
      callers.map(async ({ request }) => (await request('/v1/notes')).headers.get('X-Total-Count')),
    ).flat(),
  );
  expect(answers).toEqual(Array.from({ length: ROUNDS }, () => ['2', '3', '6']).flat());
});

test('routes that reach hidden rows share no responses before they are executed, and others do', () => {
  const { rest } = createStore(createApi(), models);
  expect([...rest.sharedAddresses]).toEqual(['/v1/topics']);
});
