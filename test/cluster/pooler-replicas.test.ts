import { expect, test } from 'vitest';
import { answeredByReplicas } from '../support/answered-by-replicas.ts';
import { requestOf } from '../support/gateway.ts';
import { startPgBouncer } from '../support/poolers.ts';
import { startPrimaryAndReplica } from '../support/primary-and-replica.ts';
import { firstKey, startService } from '../support/service.ts';

const TRANSACTION = { pool_mode: 'transaction', auth_type: 'trust' };
const IGNORING = { ignore_startup_parameters: 'statement_timeout, options' };

const { primary, replica } = await startPrimaryAndReplica();

test('replicas of a primary behind a pooler answer reads, and show what was created right before', async () => {
  await using bouncer = await startPgBouncer(primary.url, TRANSACTION);
  await using service = await startService({
    DATABASE_URL: bouncer.through(primary.url),
    DATABASE_REPLICA_URLS: replica.url,
    METRICS_PORT: '0',
  });
  const request = requestOf(service.url, await firstKey(service));
  const read = async () => {
    await request('/v1/pets');
    return answeredByReplicas(service);
  };
  await expect.poll(read).toBeGreaterThan(0);
  const before = await answeredByReplicas(service);
  const createAndRead = async () => {
    const headers = { 'Content-Type': 'application/json' };
    const body = '{"name":"Rex","categoryId":1}';
    const created = await request('/v1/pets', { method: 'POST', body, headers });
    expect(created).toMatchObject({ status: 201 });
    const id = Number(/"id":(\d+)/.exec(created.text)?.[1]);
    expect((await request(`/v1/pets?after=${id - 1}`)).json).toEqual([created.json]);
    return answeredByReplicas(service);
  };
  for (let number = 1; number <= 20; number += 1) {
    await createAndRead();
  }
  // On a busy machine a replica may be left out for a while.
  await expect.poll(createAndRead).toBeGreaterThan(before);
});

test('a replica behind a pooler is left out, because each statement may be answered by another server', async () => {
  await using bouncer = await startPgBouncer(replica.url, { ...TRANSACTION, ...IGNORING });
  await using service = await startService({
    DATABASE_URL: primary.url,
    DATABASE_REPLICA_URLS: bouncer.through(replica.url),
    METRICS_PORT: '0',
  });
  await service.child.line(
    'stdout',
    (line) => line.includes('replica excluded') && line.includes('it is a pooler'),
  );
  expect(await answeredByReplicas(service)).toBe(0);
});
