import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { connectClient } from '../support/connect-client.ts';
import { post } from '../support/stores.ts';
import { requestOf } from '../support/gateway.ts';
import { firstKey, startService } from '../support/service.ts';
import { distribute } from '../support/store-commands.ts';
import { documentedStatements, startDeployedCluster } from './support/deployed-cluster.ts';

const REX = { name: 'Rex', categoryId: 1, status: 'available' };

/** Starts a service on a cluster, creates an animal and distributes the table. */
async function startStore({ url }: { readonly url: string }) {
  const env = { DATABASE_URL: url, RATE_LIMIT: 'off' };
  const service = await startService(env);
  const key = await firstKey(service);
  const request = requestOf(service.url, key);
  const create = (idempotencyKey: string) =>
    post({ request }, '/v1/pets', REX, { 'Idempotency-Key': idempotencyKey });
  expect((await create('before')).json).toEqual({ id: 1, ...REX });
  expect(await runInProcess(distribute, ['Pet'], { env })).toMatchObject({ code: 0, stderr: '' });
  return {
    env,
    key,
    request,
    create,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

test('nodes set up with deploy/citus serve a store whose tables are distributed while it runs', async () => {
  await using cluster = await startDeployedCluster();
  await using store = await startStore(cluster);
  const { request, create } = store;

  expect((await create('after')).json).toEqual({ id: 2, ...REX });
  expect((await create('after')).json).toEqual({ id: 2, ...REX });
  expect((await create('before')).json).toEqual({ id: 1, ...REX });
  expect((await request('/v1/pets/1')).json).toEqual({ id: 1, ...REX });
  expect((await request('/v1/pets')).json).toEqual([
    { id: 1, ...REX },
    { id: 2, ...REX },
  ]);
  const operator = await connectClient(cluster.url);
  const { rows } = await operator.query(
    'SELECT count(*)::int AS shards, count(DISTINCT nodeport)::int AS nodes FROM citus_shards',
  );
  expect(rows).toEqual([{ shards: 4, nodes: 2 }]);

  // Workers read a page from the index on its filter and order.
  await operator.query(`INSERT INTO pets (name, category_id, status)
    SELECT 'Rex', 1, (ARRAY['available', 'pending', 'sold'])[1 + n % 3]::pet_status
    FROM generate_series(1, 100000) AS n`);
  await operator.query('VACUUM ANALYZE pets');
  const { rows: plan } = await operator.query<object>(
    "EXPLAIN SELECT id, name FROM pets WHERE status = 'sold' AND id > 50000 ORDER BY id LIMIT 20",
  );
  expect(plan.map((line) => JSON.stringify(line)).join('\n')).toContain('pets_status_id_idx');
});

test('a Citus worker can be added, and tables undistributed, while clients write', async () => {
  await using cluster = await startDeployedCluster();
  await using store = await startStore(cluster);
  const { env, key, create } = store;
  const [addWorker = '', , undistribute = '', removeNodes = ''] = await documentedStatements();
  const operator = await connectClient(cluster.url);
  const ask = async (text: string) => (await operator.query<object>(text)).rows;
  const statuses: number[] = [];
  const over = new AbortController();
  const writing = (async () => {
    while (!over.signal.aborted) statuses.push((await create(`animal-${statuses.length}`)).status);
  })();

  await cluster.prepare('10.0.0.24');
  await cluster.operate(`${addWorker} SELECT citus_rebalance_wait();`);
  expect(await ask('SELECT DISTINCT nodeport FROM citus_shards')).toHaveLength(3);
  await operator.query(undistribute);
  expect(await ask('SELECT FROM pg_dist_partition')).toEqual([]);
  over.abort();
  await writing;
  expect(new Set(statuses)).toEqual(new Set([201]));
  expect(await ask('SELECT FROM pets')).toHaveLength(statuses.length + 1);
  expect((await create('before')).json).toEqual({ id: 1, ...REX });

  await cluster.operate(removeNodes);
  await using restarted = await startService(env);
  await cluster.operate('DROP EXTENSION citus');
  const { json } = await requestOf(restarted.url, key)('/v1/pets/1');
  expect(json).toEqual({ id: 1, ...REX });
});
