import { errorCode } from '@store-gateway/ops/errors';
import { applyMigrations } from '@store-gateway/local/migrations';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { MIGRATIONS, openDatabase } from '../support/store-database.ts';
import { startCitus } from './support/cluster.ts';
import { freeze } from './support/disturbances.ts';

const codeOf = (asked: Promise<unknown>) => asked.then(() => 'ok', errorCode);

test('while a worker is lost, only what needs its rows is unavailable', async () => {
  await using cluster = await startCitus({ fsync: 'off' });
  const { url, workers } = cluster;
  await applyMigrations(url, MIGRATIONS);
  await using stack = new AsyncDisposableStack();
  const operator = new Client({ connectionString: url });
  await operator.connect();
  stack.defer(() => operator.end());
  await operator.query("SELECT create_distributed_table('pets', 'id')");
  await operator.query(
    `INSERT INTO pets (name, category_id, status)
     SELECT 'Rex', 1, 'available' FROM generate_series(1, 24)`,
  );
  const [lost, kept] = workers;
  const portOf = (worker = lost) => Number(new URL(worker?.url ?? '').port);
  const { rows } = await operator.query<{ id: string; port: number }>(
    `SELECT id, nodeport AS port FROM pets
     JOIN pg_dist_shard_placement ON shardid = get_shard_id_for_distribution_column('pets', id)`,
  );
  const idsOf = (port: number) =>
    rows.filter((row) => row.port === port).map(({ id }) => BigInt(id));
  const lostIds = idsOf(portOf());
  const keptIds = idsOf(portOf(kept));
  expect([lostIds.length > 1, keptIds.length > 1]).toEqual([true, true]);

  const database = openDatabase(url, { isSharded: true });
  stack.defer(() => database.$disconnect());
  const { pet } = database;
  /** In one batch. */
  const gets = (ids: readonly bigint[]) =>
    Promise.all(ids.map((id) => codeOf(pet.findUniqueOrThrow({ where: { id } }))));
  const change = (ids: readonly bigint[]) =>
    Promise.all(
      ids.slice(0, 2).map((id) => codeOf(pet.update({ where: { id }, data: { name: 'Tom' } }))),
    );
  const page = () => codeOf(pet.findMany({ orderBy: { id: 'asc' }, take: 20 }));
  const all = async () => ({
    gets: new Set(await gets([...keptIds, ...lostIds])),
    page: await page(),
    changes: new Set(await change(lostIds)),
  });
  expect(await all()).toEqual({ gets: new Set(['ok']), page: 'ok', changes: new Set(['ok']) });

  const session = () => database.$read({ name: 'session', text: 'SELECT pg_backend_pid()' });
  const before = await session();
  await lost?.stop('SIGQUIT');
  expect(await page()).toBe('SERVICE_UNAVAILABLE');
  // What failed has kept its connection to the coordinator, which the pool uses again.
  expect(await session()).toEqual(before);
  expect(await gets([...keptIds, ...lostIds])).toEqual([
    ...keptIds.map(() => 'ok'),
    ...lostIds.map(() => 'SERVICE_UNAVAILABLE'),
  ]);
  expect(await page()).toBe('SERVICE_UNAVAILABLE');
  expect(await change(keptIds)).toEqual(['ok', 'ok']);
  expect(await change(lostIds)).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);

  await lost?.start();
  await expect.poll(all).toEqual({ gets: new Set(['ok']), page: 'ok', changes: new Set(['ok']) });

  if (lost === undefined) throw new Error('there is no worker');
  const thaw = await freeze(lost);
  stack.defer(thaw);
  // More than there are connections for.
  const pages = Promise.all(Array.from({ length: 100 }, page));
  expect(await codeOf(database.$ping())).toBe('ok');
  thaw();
  expect(new Set(await pages)).toEqual(new Set(['ok']));
});
