import { expect, test, vi } from 'vitest';
import { startRetention } from '../../packages/gateway/src/app/retention.ts';
import { startGateway } from '../support/gateway.ts';

test('idempotency keys older than a day are removed, and others are kept', async () => {
  const { database, tables, rateLimits } = await startGateway();
  await database.$executeRaw`
    INSERT INTO _gateway_idempotency_keys (key_id, name, model, request, row, created_at)
    SELECT (SELECT id FROM _gateway_api_keys), number::text, 'Any', '{}', '{}',
      now() - CASE WHEN number <= 2500 THEN interval '24:01' ELSE interval '23:59' END
    FROM generate_series(1, 2600) AS number`;
  // Runs once, as when a service starts.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  startRetention(database, rateLimits, new AbortController().signal);
  vi.useRealTimers();
  const names = async () => {
    const rows = await tables.idempotencyKey.findMany({ select: { name: true } });
    return rows.map(({ name }) => Number(name)).toSorted((a, b) => a - b);
  };
  const kept = Array.from({ length: 100 }, (_, index) => 2501 + index);
  await expect.poll(names).toEqual(kept);
});
