import { expect, test, vi } from 'vitest';
import { log } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';

/** 4 at once, and one more each 2 s. */
let time = Date.parse('2026-11-21');
const { database, tables, rateLimits, request } = await startGateway({
  now: () => time,
  rateLimit: { quota: 4, windowSeconds: 8 },
});
const warn = vi.spyOn(log, 'warn');
const info = vi.spyOn(log, 'info');

const status = async () => (await request('/v1/pets')).status;

/** As happens by itself after half a second. */
async function tryTwice(): Promise<void> {
  await rateLimits.flush();
  await rateLimits.flush();
}

test('a process that can not tell what it counts goes by that alone, and says so once', async () => {
  await database.$executeRaw`ALTER TABLE _gateway_rate_limit_counts RENAME TO away`;
  expect([await status(), await status()]).toEqual([200, 200]);
  await tryTwice();
  expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  await tryTwice();
  expect(await status()).toBe(429);
  expect(warn.mock.calls.map(([, message]) => message)).toEqual([
    'rate limits are not shared: this process counts only its own requests',
  ]);

  // Half of what could not be told leaks away meanwhile.
  time += 4000;
  await tryTwice();
  await database.$executeRaw`ALTER TABLE away RENAME TO _gateway_rate_limit_counts`;
  await tryTwice();
  const rows = await tables.rateLimitCount.findMany({ omit: { at: true } });
  expect(rows).toEqual([{ policy: 'key', subject: '1', level: 2 }]);
  expect(info.mock.calls.flat()).toContain('rate limits are shared with the other processes again');
  expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  expect(warn).toHaveBeenCalledTimes(1);
});
