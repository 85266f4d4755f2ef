import assert from 'node:assert/strict';
import { deduplicatingClient } from '@store-gateway/data';
import { errorCode } from '@store-gateway/ops/errors';
import { applyMigrations } from '@store-gateway/local/migrations';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { MIGRATIONS, openDatabase, type Database } from '../support/store-database.ts';
import { startCitus } from './support/cluster.ts';
import { distributeTables } from './support/setup.ts';

const PREPARED = 'SELECT count(*)::int FROM pg_prepared_xacts';
const UNLIMITED = { connection: 30_000, statement: 30_000 };

/** A store on a cluster of its own, which leaves what is prepared until it is told to go on. */
async function start() {
  const cluster = await startCitus({ 'citus.recover_2pc_interval': '-1' }, distributeTables);
  const { coordinator, workers } = cluster;
  const url = await createDatabase(cluster.url);
  await applyMigrations(url, MIGRATIONS);
  const ask = (text: string) => coordinator.ask(text, new URL(url).pathname.slice(1));
  await ask("INSERT INTO _gateway_api_keys (id, name, hash) VALUES (1, 'test', '')");
  const database = openDatabase(url, { isSharded: true });
  const patient = openDatabase(url, { isSharded: true, timeouts: UNLIMITED });
  onTestFinished(async () => {
    await Promise.all([database.$disconnect(), patient.$disconnect()]);
    await cluster[Symbol.asyncDispose]();
  });

  const setStandbys = async (names: string): Promise<void> => {
    await coordinator.ask(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await coordinator.ask('SELECT pg_reload_conf()');
    await expect.poll(() => coordinator.ask('SHOW synchronous_standby_names')).toBe(names);
  };
  /** Runs a write whose worker is lost once it has prepared its commit, and starts that again. */
  const losing = async (write: (store: Database) => PromiseLike<unknown>) => {
    await setStandbys('nobody');
    const outcome = Promise.allSettled([write(patient)]);
    const counts = () => Promise.all(workers.map((worker) => worker.ask(PREPARED)));
    // The coordinator waits for a standby before it has the workers commit.
    await expect.poll(counts, { timeout: 20_000 }).toContain(1);
    const worker = workers[(await counts()).indexOf(1)];
    assert(worker !== undefined);
    await worker.stop('SIGQUIT');
    await setStandbys('');
    const [result] = await outcome;
    assert(result.status === 'rejected');
    expect(errorCode(result.reason)).toBe('SERVICE_UNAVAILABLE');
    await worker.start();
  };
  return { database, losing, recover: () => ask('SELECT recover_prepared_transactions()') };
}

const under = (store: Database, name: string) =>
  deduplicatingClient(store, {
    nextKey: () => ({ keyId: 1n, name }),
    reusedError: () => new Error('reused'),
    missingRowError: () => new Error('gone'),
  });

const animal = { name: 'Rex', categoryId: 1n, status: 'available' } as const;

test('a replay is refused until every page shows its write', async () => {
  const { database, losing, recover } = await start();
  const create = (store = database) => under(store, 'create').pet.create({ data: animal });
  await losing(create);
  const early: unknown = await create().catch((error: unknown) => error);
  expect(errorCode(early)).toBe('SERVICE_UNAVAILABLE');
  await recover();
  const { id } = await create();
  expect(await database.pet.findMany({ select: { id: true } })).toEqual([{ id }]);

  const update = (store = database) =>
    under(store, 'update').pet.update({ where: { id }, data: { name: 'Max' } });
  await losing(update);
  const tooEarly: unknown = await update().catch((error: unknown) => error);
  expect(errorCode(tooEarly)).toBe('SERVICE_UNAVAILABLE');
  await recover();
  expect(await update()).toMatchObject({ id, name: 'Max' });
  expect(await database.pet.findUnique({ where: { id } })).toMatchObject({ name: 'Max' });
});
