import { errorCode } from '@store-gateway/ops/errors';
import { expect, onTestFinished, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { newDatabase } from '../support/new-database.ts';
import { openDatabase } from '../support/store-database.ts';

/** Opens a store with distributed animals, and a connection to the coordinator. */
async function start() {
  const url = await newDatabase();
  const operator = await connectClient(url);
  const database = openDatabase(url, { isSharded: true });
  onTestFinished(() => database.$disconnect());
  return { database, operator };
}

const animal = { name: 'Rex', categoryId: 1n, status: 'available' } as const;

test('a transaction that writes a distributed and a coordinator table commits in two phases', async () => {
  const { database, operator } = await start();
  await operator.query(
    "CREATE FUNCTION has_two_phases() RETURNS bool LANGUAGE c AS 'citus', 'coordinated_transaction_should_use_2PC'",
  );
  const twoPhases = { text: 'SELECT has_two_phases() AS is', values: [] };
  await operator.query('BEGIN');
  await operator.query(
    "INSERT INTO pets (name, category_id, status) VALUES ('Tom', 2, 'available')",
  );
  expect((await operator.query<object>(twoPhases)).rows).toEqual([{ is: false }]);
  await operator.query('ROLLBACK');

  const found = await database.$transaction(async (transaction) => {
    await transaction.pet.create({ data: animal });
    await transaction.$executeRaw`INSERT INTO _gateway_trusted_documents (hash, document) VALUES ('a', 'b')`;
    return transaction.$queryRaw`SELECT has_two_phases() AS is`;
  });
  expect(found).toEqual([{ is: true }]);
  expect(await database.pet.count()).toBe(1);
});

test('an isolation level that Citus does not support is rejected before anything is written', async () => {
  const { database } = await start();
  for (const isolationLevel of ['Serializable', 'RepeatableRead'] as const) {
    await expect(
      database.$transaction((transaction) => transaction.pet.create({ data: animal }), {
        isolationLevel,
      }),
    ).rejects.toThrow('READ COMMITTED');
  }
  expect(await database.pet.count()).toBe(0);
  expect(
    await database.$transaction((transaction) => transaction.pet.count(), {
      isolationLevel: 'ReadCommitted',
    }),
  ).toBe(0);
});

test.each([
  'SELECT a.* FROM pets a JOIN pets b ON a.name = b.name',
  'SELECT (SELECT count(*) FROM pets a WHERE a.name = b.name) FROM pets b',
  'UPDATE pets SET id = 1 WHERE id = 2',
])('a statement that Citus cannot plan is not reported as a database outage: %s', async (text) => {
  const { database } = await start();
  const thrown: unknown = await database.$queryRawUnsafe(text).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Error);
  expect(errorCode(thrown)).toBeUndefined();
});
