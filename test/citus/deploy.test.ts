import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { connectClient } from '../support/connect-client.ts';
import { requestOf } from '../support/gateway.ts';
import { firstKey, startService } from '../support/service.ts';
import { distribute } from '../support/store-commands.ts';
import { startDeployedCluster } from './support/deployed-cluster.ts';

const REX = { name: 'Rex', categoryId: 1, status: 'available' };

test('three nodes as deploy/citus has them take a store, whose tables are distributed while it serves', async () => {
  await using cluster = await startDeployedCluster();
  await using service = await startService({ DATABASE_URL: cluster.url });
  const request = requestOf(service.url, await firstKey(service));
  const create = (key: string) =>
    request('/v1/pets', {
      method: 'POST',
      body: JSON.stringify(REX),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    });
  expect((await create('before')).json).toEqual({ id: 1, ...REX });

  const env = { DATABASE_URL: cluster.url };
  expect(await runInProcess(distribute, ['Pet'], { env })).toMatchObject({ code: 0, stderr: '' });

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
});
