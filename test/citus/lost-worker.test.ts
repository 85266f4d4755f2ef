import { errorCode } from '@store-gateway/ops/errors';
import { applyMigrations } from '@store-gateway/local/migrations';
import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { requestOf } from '../support/gateway.ts';
import { firstKey, startService } from '../support/service.ts';
import { MIGRATIONS, openDatabase } from '../support/store-database.ts';
import { startCitus } from './support/cluster.ts';
import { freeze } from './support/node-faults.ts';

const codeOf = (asked: Promise<unknown>) => asked.then(() => 'ok', errorCode);

/** Starts a cluster with animals on both workers, one of which a test will lose. */
async function startAnimals() {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCitus({ fsync: 'off' }));
  const { url, workers } = cluster;
  await applyMigrations(url, MIGRATIONS);
  const operator = await connectClient(url);
  await operator.query("SELECT create_distributed_table('pets', 'id')");
  await operator.query(
    `INSERT INTO pets (name, category_id, status)
     SELECT 'Rex', 1, 'available' FROM generate_series(1, 24)`,
  );
  const { rows } = await operator.query<{ id: string; port: number }>(
    `SELECT id, nodeport AS port FROM pets
     JOIN pg_dist_shard_placement ON shardid = get_shard_id_for_distribution_column('pets', id)`,
  );
  const idsOf = (worker: PostgresServer) =>
    rows
      .filter(({ port }) => port === Number(new URL(worker.url).port))
      .map(({ id }) => BigInt(id));
  const [lost, kept] = workers;
  const [lostIds, keptIds] = [idsOf(lost), idsOf(kept)];
  expect([lostIds.length > 1, keptIds.length > 1]).toEqual([true, true]);
  const running = stack.move();
  return {
    url,
    lost,
    lostIds,
    keptIds,
    /** Returns the coordinator's backends that serve gateways. */
    sessions: async () => {
      const { rows: sessions } = await operator.query<object>(
        "SELECT pid FROM pg_stat_activity WHERE application_name LIKE '% on Citus' ORDER BY pid",
      );
      return sessions;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

test('while a Citus worker is lost, only requests for its rows are unavailable', async () => {
  await using animals = await startAnimals();
  const { url, lost, lostIds, keptIds, sessions } = animals;
  await using stack = new AsyncDisposableStack();
  const database = openDatabase(url, { isSharded: true });
  stack.defer(() => database.$disconnect());
  const { pet } = database;
  /** Gets rows in one batch. */
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

  const before = await sessions();
  expect(before).not.toEqual([]);
  await lost.stop('SIGQUIT');
  expect(await page()).toBe('SERVICE_UNAVAILABLE');
  // Failed statements keep their connection to the coordinator, and the pool reuses it.
  expect(await sessions()).toEqual(before);
  expect(await gets([...keptIds, ...lostIds])).toEqual([
    ...keptIds.map(() => 'ok'),
    ...lostIds.map(() => 'SERVICE_UNAVAILABLE'),
  ]);
  expect(await page()).toBe('SERVICE_UNAVAILABLE');
  expect(await change(keptIds)).toEqual(['ok', 'ok']);
  expect(await change(lostIds)).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);

  await lost.start();
  await expect.poll(all).toEqual({ gets: new Set(['ok']), page: 'ok', changes: new Set(['ok']) });
});

/** More clients than database connections. */
const LISTING_CLIENTS = 16;
const LOST_MS = 4000;

test.each<{
  readonly what: string;
  readonly lose: (worker: PostgresServer) => Promise<() => void | Promise<void>>;
}>([
  {
    what: 'stopped',
    lose: async (worker) => {
      await worker.stop('SIGQUIT');
      return () => worker.start();
    },
  },
  { what: 'frozen', lose: freeze },
])(
  "while a Citus worker is $what, lists fail, but gets of other workers' rows and readiness probes succeed",
  async ({ lose }) => {
    await using animals = await startAnimals();
    const { url, lost, keptIds } = animals;
    await using service = await startService({ DATABASE_URL: url, RATE_LIMIT: 'off' });
    const request = requestOf(service.url, await firstKey(service));
    const statusOf = async (path: string) => (await request(path)).status;
    expect(await statusOf('/v1/pets')).toBe(200);

    await using loss = new AsyncDisposableStack();
    loss.defer(await lose(lost));
    const end = performance.now() + LOST_MS;
    /** Requests paths one after the other while the worker is lost. */
    const statusesOf = async (paths: readonly string[]) => {
      const statuses: number[] = [];
      while (performance.now() < end) {
        statuses.push(await statusOf(paths[statuses.length % paths.length] ?? ''));
      }
      return statuses;
    };
    // Identical lists would be coalesced into one query.
    const lists = Array.from({ length: LISTING_CLIENTS }, (_list, after) =>
      statusesOf([`/v1/pets?after=${after}`]),
    );
    const gets = statusesOf(keptIds.map((id) => `/v1/pets/${id}`));
    const probes = statusesOf(['/readyz']);
    const listed = (await Promise.all(lists)).flat();
    expect({
      lists: new Set(listed),
      gets: new Set(await gets),
      probes: new Set(await probes),
    }).toEqual({ lists: new Set([503]), gets: new Set([200]), probes: new Set([200]) });
    expect(listed.length).toBeGreaterThan(LISTING_CLIENTS);
    await loss.disposeAsync();
    await expect.poll(() => statusOf('/v1/pets')).toBe(200);
  },
  60_000,
);
