import { openDatabase } from '../support/store-database.ts';
import { Pool } from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { randomNumbers } from '../../bench/load/random.ts';
import { createKey } from '../support/keys.ts';
import { overdue, refusedSince } from '../support/answer-times.ts';
import { ask, SUCCESS_STATUSES, type Answer } from '../support/ask.ts';
import { startCuttingProxy, type Cut } from '../support/cutting-proxy.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { formsOf, HEALTHY_ANSWERS, UNAVAILABLE_ANSWERS } from '../support/load-answers.ts';
import { startLoad } from '../support/load.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { firstKey, startPatientService, startService } from '../support/service.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const proxy = await startCuttingProxy(databaseUrl);
const service = await startPatientService({ DATABASE_URL: proxy.url, LOG_LEVEL: 'info' });
const key = await firstKey(service);
const reader = new Pool({ connectionString: databaseUrl });
const database = openDatabase(databaseUrl);
const stalls = await measureStalls();
afterAll(async () => {
  await stalls[Symbol.asyncDispose]();
  await Promise.all([reader.end(), database.$disconnect()]);
  await service[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

const CREATE =
  'mutation ($name: String!) { createPet(input: { name: $name, categoryId: 1 }) { id } }';

/**
 * The statements of a create, the names under which they are prepared, and how many of its animal are stored if the request,
 * or the answer, is cut.
 */
const STATEMENTS = {
  'Pet.createAll:one': { prepared: /^Pet\.createAll:one:/, request: 0, answer: 1 },
  'Pet.createAllOnce:one': { prepared: /^Pet\.createAllOnce:one:/, request: 0, answer: 1 },
  // For a retry. It is unnamed, so each execution is a first one.
  'Pet.findCreated': { prepared: /^$/, request: 1, answer: 1 },
  // Before everything else, for a key that isn't cached.
  'find-key-by-hash': { prepared: /^find-key-by-hash$/, request: 0, answer: 0 },
} as const;

interface Execution {
  readonly statement: keyof typeof STATEMENTS;
  readonly surface: 'REST' | 'GraphQL';
  /** Whether it is the statement's first on its connection. */
  readonly isFirst: boolean;
}

/** An animal to add, and the key of whoever does. */
interface Addition {
  readonly name: string;
  readonly apiKey: string;
}

let lastName = 0;

/** Maximum creates until one executes its statement as the first, or as a later one, on its connection. */
const MAX_ATTEMPTS = 50;

/** One that has the database execute such a statement when it is sent. */
async function newAddition(execution: Execution): Promise<Addition> {
  const { statement } = execution;
  const name = `cut-${(lastName += 1)}`;
  const apiKey = statement === 'find-key-by-hash' ? (await createKey(database, { name })).key : key;
  if (statement === 'Pet.findCreated') {
    await create(execution, { name, apiKey });
  }
  return { name, apiKey };
}

function create({ statement, surface }: Execution, { name, apiKey }: Addition): Promise<Answer> {
  const headers = statement === 'Pet.createAll:one' ? {} : { 'Idempotency-Key': name };
  const [call, body] =
    surface === 'REST'
      ? ['POST /v1/pets', { name, categoryId: 1 }]
      : ['POST /graphql', { query: CREATE, variables: { name } }];
  return ask(service.url, apiKey, call, body, headers);
}

async function idsOf({ name }: Addition): Promise<string[]> {
  const { rows } = await reader.query<{ id: string }>('SELECT id FROM pets WHERE name = $1', [
    name,
  ]);
  return rows.map(({ id }) => id);
}

/** Adds an animal by such an execution, which is cut; tells it and what its client was told. */
async function createAndCut(execution: Execution, cut: Cut) {
  const { prepared } = STATEMENTS[execution.statement];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const addition = await newAddition(execution);
    let wasCut = false;
    proxy.cutBy(({ statement, isFirst }) => {
      if (wasCut || !prepared.test(statement)) {
        return {};
      }
      wasCut = isFirst === execution.isFirst;
      // Where a first one is wanted, this connection is of no use any more; where not, it is from now on.
      return wasCut ? cut : execution.isFirst ? { request: 0 } : {};
    });
    const { status } = await create(execution, addition);
    proxy.cutBy(() => ({}));
    if (wasCut) {
      return { addition, status };
    }
  }
  throw new Error(`no such execution of ${execution.statement} in ${MAX_ATTEMPTS} creates`);
}

/** Of one that has been named: what its client is told now, and what is there. */
async function askAgain(execution: Execution, addition: Addition) {
  const { text } = await create(execution, addition);
  return { text, told: /"id":"?(\d+)/.exec(text)?.[1], ids: await idsOf(addition) };
}

/** The messages of such an execution that was not cut. */
async function wholeExecution(execution: Execution) {
  await createAndCut(execution, { request: 0 });
  await create(execution, await newAddition(execution));
  await create(execution, await newAddition(execution));
  return proxy.executions.findLast(
    ({ statement, isFirst }) =>
      STATEMENTS[execution.statement].prepared.test(statement) && isFirst === execution.isFirst,
  );
}

/** How many bytes may arrive of these messages: as many as there are in one or several whole ones, and one more or less. */
function borders(lengths: readonly number[]): number[] {
  let end = 0;
  const ends = lengths.map((length) => (end += length));
  const points = new Set([0, ...ends].flatMap((border) => [border - 1, border, border + 1]));
  return [...points].filter((point) => point >= 0 && point < end);
}

/** The same, but any number: of what is not the statement's text, which only a first execution has. */
function anywhere(lengths: readonly number[]): number[] {
  return Array.from(
    { length: lengths.reduce((sum, length) => sum + length, 0) },
    (_, index) => index,
  );
}

/** Milliseconds for hundreds of cuts, each of which takes a connection of its own. */
const CUTS_TIMEOUT = 120_000;

const EXECUTIONS = [
  { statement: 'Pet.createAll:one', surface: 'REST' },
  { statement: 'Pet.createAll:one', surface: 'GraphQL' },
  { statement: 'Pet.createAllOnce:one', surface: 'REST' },
  { statement: 'Pet.createAllOnce:one', surface: 'GraphQL' },
  // Neither of these knows the surface.
  { statement: 'Pet.findCreated', surface: 'REST' },
  { statement: 'find-key-by-hash', surface: 'REST' },
] as const;

test.each(
  EXECUTIONS.flatMap((execution) => [
    { ...execution, isFirst: true, number: 'first', where: 'at each message' },
    { ...execution, isFirst: false, number: 'later', where: 'anywhere' },
  ]).filter(({ statement, isFirst }) => isFirst || statement !== 'Pet.findCreated'),
)(
  'a $number $statement of its connection, for $surface, may be cut $where, and all is done once or not at all',
  { timeout: CUTS_TIMEOUT },
  async (execution) => {
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
    const again: Awaited<ReturnType<typeof askAgain>>[] = [];
    for (const cut of points) {
      const { addition, status } = await createAndCut(execution, cut);
      found.push({ cut, status, addition, stored: (await idsOf(addition)).length });
      // A whole request is executed, whether its answer arrives or not; anything less never is.
      const stored = STATEMENTS[execution.statement]['answer' in cut ? 'answer' : 'request'];
      expected.push({ cut, status: 503, addition, stored });
      if (execution.statement !== 'Pet.createAll:one') {
        again.push(await askAgain(execution, addition));
      }
    }
    expect(found).toEqual(expected);
    expect(again.filter(({ told, ids }) => ids.join() !== told)).toEqual([]);
  },
);

test('under load, with statements cut at random, nothing is lost or twice', async () => {
  const random = randomNumbers(20_261_121);
  await reader.query('DELETE FROM pets');
  await using loaded = await startService({ DATABASE_URL: proxy.url });
  await using load = startLoad(loaded.url, key);
  await load.allAnswered(SUCCESS_STATUSES);
  proxy.cutBy(() => {
    const share = random() * 12;
    const bytes = Math.floor(random() * 200);
    return share < 1 ? { request: bytes } : share < 2 ? { answer: bytes } : {};
  });
  await load.allAnswered(SUCCESS_STATUSES);
  await load.allAnswered(SUCCESS_STATUSES);
  await load.allAnswered([503]);
  proxy.cutBy(() => ({}));
  const over = performance.now();
  await load.allAnswered(SUCCESS_STATUSES);
  await load.end();

  expect(formsOf(load.answers)).toEqual([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS].toSorted());
  expect(await overdue(load.answers, stalls)).toEqual([]);
  expect(await refusedSince(over, load.answers, stalls)).toEqual([]);
  expect(await load.faultsIn(databaseUrl)).toEqual([]);
});
