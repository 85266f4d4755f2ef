import { Pool } from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { randomNumbers } from '../bench/load/random.ts';
import { startCuttingProxy, type Cut } from './support/cutting-proxy.ts';
import { createDatabase, TEMPLATE } from './support/database.ts';
import { AWAY, formsOf, PATIENCE, slowestOf, WELL } from './support/load-answers.ts';
import { ask, GOOD, startLoad, type Answer } from './support/load.ts';
import { firstKey, startService } from './support/service.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const proxy = await startCuttingProxy(databaseUrl);
const service = await startService({ DATABASE_URL: proxy.url, LOG_LEVEL: 'info' });
const key = await firstKey(service);
const reader = new Pool({ connectionString: databaseUrl });
afterAll(async () => {
  await reader.end();
  await service[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

const CREATE =
  'mutation ($name: String!) { createPet(input: { name: $name, categoryId: 1 }) { id } }';

interface Execution {
  readonly statement: 'insert-pets' | 'insert-pets-once';
  readonly surface: 'REST' | 'GraphQL';
  /** Whether it is the statement's first on its connection. */
  readonly isFirst: boolean;
}

let lastName = 0;
const newName = (): string => `cut-${(lastName += 1)}`;

function create({ statement, surface }: Execution, name: string): Promise<Answer> {
  const idempotencyKey = statement === 'insert-pets-once' ? name : undefined;
  return surface === 'REST'
    ? ask(service.url, key, 'POST /v1/pets', { name, categoryId: 1 }, idempotencyKey)
    : ask(
        service.url,
        key,
        'POST /graphql',
        { query: CREATE, variables: { name } },
        idempotencyKey,
      );
}

async function countOf(name: string): Promise<number | null> {
  return (await reader.query('SELECT FROM pets WHERE name = $1', [name])).rowCount;
}

/** Adds an animal by such an execution, which is cut; tells its name and what its client was told. */
async function createAndCut(execution: Execution, cut: Cut) {
  for (;;) {
    if (!execution.isFirst) {
      await create(execution, newName());
    }
    let wasCut = false;
    proxy.cutBy(({ statement, isFirst }) => {
      if (wasCut || statement !== execution.statement) {
        return {};
      }
      wasCut = isFirst === execution.isFirst;
      // Where a first one is wanted, this connection is of no use any more.
      return wasCut ? cut : execution.isFirst ? { request: 0 } : {};
    });
    const name = newName();
    const { status } = await create(execution, name);
    proxy.cutBy(() => ({}));
    if (wasCut) {
      return { name, status };
    }
  }
}

/** The messages of such an execution that was not cut. */
async function wholeExecution(execution: Execution) {
  await createAndCut(execution, { request: 0 });
  await create(execution, newName());
  await create(execution, newName());
  return proxy.executions.findLast(
    ({ statement, isFirst }) => statement === execution.statement && isFirst === execution.isFirst,
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

test.each<Execution>(
  (['insert-pets', 'insert-pets-once'] as const).flatMap((statement) =>
    (['REST', 'GraphQL'] as const).flatMap((surface) =>
      [true, false].map((isFirst) => ({ statement, surface, isFirst })),
    ),
  ),
)(
  '$statement for $surface, the first on its connection: $isFirst, may be cut anywhere, and is done once or not at all',
  async (execution) => {
    const whole = await wholeExecution(execution);
    const pointsOf = execution.isFirst ? borders : anywhere;
    const points: readonly Cut[] = [
      ...pointsOf(whole?.request ?? []).map((bytes) => ({ request: bytes })),
      ...pointsOf(whole?.answer ?? []).map((bytes) => ({ answer: bytes })),
    ];
    // Bind, Describe, Execute, Sync; BindComplete, RowDescription, DataRow, CommandComplete, ReadyForQuery.
    expect(points.length).toBeGreaterThan(2 * 9);

    const names: string[] = [];
    const found: object[] = [];
    const expected: object[] = [];
    for (const cut of points) {
      const { name, status } = await createAndCut(execution, cut);
      names.push(name);
      found.push({ cut, status, name, stored: await countOf(name) });
      // A whole request is executed, whether its answer arrives or not; anything less never is.
      expected.push({ cut, status: 503, name, stored: 'answer' in cut ? 1 : 0 });
    }
    expect(found).toEqual(expected);

    // Whoever has given it a key asks again.
    const repeated = execution.statement === 'insert-pets-once' ? names : [];
    const again = await Promise.all(
      repeated.map(async (name) => {
        const { status } = await create(execution, name);
        return [name, GOOD.includes(status), await countOf(name)];
      }),
    );
    expect(again).toEqual(repeated.map((name) => [name, true, 1]));
  },
);

test('under load, with every sixth statement cut somewhere, nothing is lost or twice', async () => {
  const random = randomNumbers(20_261_121);
  await using load = startLoad(service.url, key);
  await load.allAnswered(GOOD);
  proxy.cutBy(() => {
    const share = random() * 12;
    const bytes = Math.floor(random() * 200);
    return share < 1 ? { request: bytes } : share < 2 ? { answer: bytes } : {};
  });
  await load.allAnswered(GOOD);
  await load.allAnswered(GOOD);
  await load.allAnswered([503]);
  proxy.cutBy(() => ({}));
  const over = performance.now();
  await load.allAnswered(GOOD);
  await load.end();

  expect(formsOf(load.answers)).toEqual([...WELL, ...AWAY].toSorted());
  expect(slowestOf(load.answers)).toBeLessThan(PATIENCE);
  const afterwards = load.answers.filter(({ asked }) => asked > over);
  expect(afterwards.filter(({ status }) => status === 503)).toEqual([]);
  await reader.query('DELETE FROM pets WHERE name LIKE $1', ['cut-%']);
  expect(await load.faultsIn(databaseUrl)).toEqual([]);
});
