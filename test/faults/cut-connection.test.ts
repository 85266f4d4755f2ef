import { expect, test } from 'vitest';
import { randomNumbers } from '../../bench/load/random.ts';
import { ask, SUCCESS_STATUSES, type Answer } from '../support/ask.ts';
import { keptForFile, onFileFinished } from '../support/clean-up.ts';
import { connectClient } from '../support/connect-client.ts';
import { startCuttingProxy, type Cut } from '../support/database-proxy.ts';
import { newDatabase } from '../support/new-database.ts';
import { formsOf, HEALTHY_ANSWERS, UNAVAILABLE_ANSWERS } from '../support/load-answers.ts';
import { createKey } from '../support/keys.ts';
import { firstKey, startPatientService, startService } from '../support/service.ts';
import { openDatabase } from '../support/store-database.ts';
import { surviveOutage } from './support/outage.ts';

const databaseUrl = await newDatabase();
const proxy = keptForFile(await startCuttingProxy(databaseUrl));
const service = await startPatientService({ DATABASE_URL: proxy.url, LOG_LEVEL: 'info' });
const key = await firstKey(service);
const reader = await connectClient(databaseUrl, onFileFinished);
const database = openDatabase(databaseUrl);
onFileFinished(() => database.$disconnect());

/**
 * The statements of a create, the names under which they are prepared, and how many of its animals are stored if the request
 * or the response is cut.
 */
const STATEMENTS = {
  'Pet.createAll:one': { prepared: /^Pet\.createAll:one:/, request: 0, answer: 1 },
  'Pet.createAllOnce:one': { prepared: /^Pet\.createAllOnce:one:/, request: 0, answer: 1 },
  // For a retry. It is unnamed, so every execution counts as the first one.
  'Pet.findCreated': { prepared: /^$/, request: 1, answer: 1 },
  // Runs before the others, for an API key that is not cached.
  'find-key-by-hash': { prepared: /^find-key-by-hash$/, request: 0, answer: 0 },
} as const;

interface Execution {
  readonly statement: keyof typeof STATEMENTS;
  /** Whether it is the statement's first execution on its connection. */
  readonly isFirst: boolean;
}

interface Addition {
  readonly name: string;
  readonly apiKey: string;
}

let lastName = 0;

/** Maximum number of creates until one executes its statement for the first, or a later, time on its connection. */
const MAX_ATTEMPTS = 50;

/** An addition whose create executes this statement. */
async function newAddition(statement: Execution['statement']): Promise<Addition> {
  const name = `cut-${(lastName += 1)}`;
  const apiKey = statement === 'find-key-by-hash' ? (await createKey(database, { name })).key : key;
  if (statement === 'Pet.findCreated') {
    await create(statement, { name, apiKey });
  }
  return { name, apiKey };
}

function create(statement: Execution['statement'], { name, apiKey }: Addition): Promise<Answer> {
  const headers = statement === 'Pet.createAll:one' ? {} : { 'Idempotency-Key': name };
  return ask(service.url, apiKey, 'POST /v1/pets', { name, categoryId: 1 }, headers);
}

async function idsOf({ name }: Addition): Promise<string[]> {
  const text = 'SELECT id FROM pets WHERE name = $1';
  return (await reader.query<{ id: string }>(text, [name])).rows.map(({ id }) => id);
}

/** Creates animals until a matching execution has been cut. Resolves to its addition and its response status. */
async function createAndCut({ statement, isFirst: wantsFirst }: Execution, cut: Cut) {
  const { prepared } = STATEMENTS[statement];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const addition = await newAddition(statement);
    let wasCut = false;
    proxy.cutBy(({ statement: executed, isFirst }) => {
      if (wasCut || !prepared.test(executed)) {
        return {};
      }
      wasCut = isFirst === wantsFirst;
      // If a first execution is wanted, drop a connection that has already executed the statement.
      return wasCut ? cut : wantsFirst ? { request: 0 } : {};
    });
    const { status } = await create(statement, addition);
    proxy.cutBy(() => ({}));
    if (wasCut) {
      return { addition, status };
    }
  }
  throw new Error(`no such execution of ${statement} in ${MAX_ATTEMPTS} creates`);
}

/** The message lengths of a matching execution that was not cut. */
async function wholeExecution(execution: Execution) {
  const { statement } = execution;
  await createAndCut(execution, { request: 0 });
  await create(statement, await newAddition(statement));
  await create(statement, await newAddition(statement));
  return proxy.executions.findLast(
    ({ statement: executed, isFirst }) =>
      STATEMENTS[statement].prepared.test(executed) && isFirst === execution.isFirst,
  );
}

/** Byte counts after which to cut: the end of each message, and one byte before and after it. */
function borders(lengths: readonly number[]): number[] {
  let end = 0;
  const ends = lengths.map((length) => (end += length));
  const points = new Set([0, ...ends].flatMap((border) => [border - 1, border, border + 1]));
  return [...points].filter((point) => point >= 0 && point < end);
}

/** Every byte count after which to cut, for executions that do not send the statement's text. */
function anywhere(lengths: readonly number[]): number[] {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return Array.from({ length: total }, (_, index) => index);
}

test.each<Execution & { readonly number: string; readonly where: string }>([
  ...(['Pet.createAll:one', 'Pet.createAllOnce:one', 'find-key-by-hash'] as const).flatMap(
    (statement) => [
      { statement, isFirst: true, number: 'first', where: 'near a message boundary' },
      { statement, isFirst: false, number: 'later', where: 'anywhere' },
    ],
  ),
  {
    statement: 'Pet.findCreated',
    isFirst: true,
    number: 'first',
    where: 'near a message boundary',
  },
])(
  'a create whose connection breaks $where in its $number execution of $statement adds one animal or none',
  async (execution) => {
    const { statement } = execution;
    const whole = await wholeExecution(execution);
    const pointsOf = execution.isFirst ? borders : anywhere;
    const points: readonly Cut[] = [
      ...pointsOf(whole?.request ?? []).map((bytes) => ({ request: bytes })),
      ...pointsOf(whole?.answer ?? []).map((bytes) => ({ answer: bytes })),
    ];
    // Bind, Describe, Execute, Sync; BindComplete, RowDescription, DataRow, CommandComplete, ReadyForQuery.
    expect(points.length).toBeGreaterThan(2 * 9);

    const found: object[] = [];
    const expected: object[] = [];
    const retries: { readonly text: string; readonly ids: string[] }[] = [];
    for (const cut of points) {
      const { addition, status } = await createAndCut(execution, cut);
      found.push({ cut, status, addition, stored: (await idsOf(addition)).length });
      // Only a whole request is executed, whether or not its response arrives.
      const stored = STATEMENTS[statement]['answer' in cut ? 'answer' : 'request'];
      expected.push({ cut, status: 503, addition, stored });
      if (statement !== 'Pet.createAll:one') {
        const { text } = await create(statement, addition);
        retries.push({ text, ids: await idsOf(addition) });
      }
    }
    expect(found).toEqual(expected);
    const isStored = ({ text, ids }: (typeof retries)[number]) =>
      ids.join() === /"id":(\d+)/.exec(text)?.[1];
    expect(retries.filter((retry) => !isStored(retry))).toEqual([]);
  },
  // There are hundreds of cuts, and each needs its own connection.
  120_000,
);

test('no animal is lost or duplicated under load while connections break at random', async () => {
  const random = randomNumbers(20_261_121);
  await reader.query('DELETE FROM pets');
  await using loaded = await startService({ DATABASE_URL: proxy.url });
  const { answers } = await surviveOutage({
    url: loaded.url,
    key,
    databaseUrl,
    begin: async () => {
      proxy.cutBy(() => {
        const share = random() * 12;
        const bytes = Math.floor(random() * 200);
        return share < 1 ? { request: bytes } : share < 2 ? { answer: bytes } : {};
      });
      return () => proxy.cutBy(() => ({}));
    },
    meanwhile: async (load) => {
      await load.allAnswered(SUCCESS_STATUSES);
      await load.allAnswered(SUCCESS_STATUSES);
      await load.allAnswered([503]);
      return [];
    },
  });
  expect(formsOf(answers)).toEqual([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS].toSorted());
});
