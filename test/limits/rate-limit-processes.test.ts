import { afterEach, expect, test, vi } from 'vitest';
import { log } from '@store-gateway/ops';
import { createKey } from '../support/keys.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';

/** 4 requests at once, and one more every 2000 s: practically none while a test runs, by the database's clock. */
const LIMIT = { quota: 4, windowSeconds: 8000 };

let time = Date.parse('2026-11-21');
const now = () => time;
const one = await startGateway({ now, rateLimit: LIMIT });
const { database, tables, databaseUrl } = one;
const other = await startGateway({ now, databaseUrl, rateLimit: LIMIT });
/** Simulates a change of the database's clock by changing the times of existing counts. */
async function setDatabaseClock(seconds: number): Promise<void> {
  await database.$executeRaw`
    UPDATE _gateway_rate_limit_counts SET at = at - ${seconds}::float8 * interval '1 second'`;
}

afterEach(() => {
  // Long enough to restore every used quota.
  time += 60_000_000;
});

/** Creates a caller with a new API key. */
async function newCaller() {
  const { key, id } = await createKey(database);
  const subject = String(id);
  const list = (gateway: Gateway) =>
    gateway.request('/v1/pets', { headers: { Authorization: `Bearer ${key}` } });
  return {
    status: async (gateway: Gateway) => (await list(gateway)).status,
    told: async (gateway: Gateway) => (await list(gateway)).headers.get('RateLimit'),
    /** The count that all processes have written to the database, in whole requests. */
    level: async () => {
      const where = { policy_subject: { policy: 'key', subject } };
      const row = await tables.rateLimitCount.findUnique({ where });
      return row && Math.round(row.level);
    },
  };
}

test("a key's requests in one process count in the other process", async () => {
  const { status, level } = await newCaller();
  for (let count = 0; count < 4; count += 1) {
    expect(await status(one)).toBe(200);
  }
  expect(await status(one)).toBe(429);
  await one.rateLimits.flush();
  expect(await level()).toBe(4);
  // Until it flushes, the other process does not know of these requests.
  expect(await status(other)).toBe(200);
  await other.rateLimits.flush();
  expect(await status(other)).toBe(429);
  time += 16_000_000;
  expect([await status(other), await status(one)]).toEqual([200, 200]);
});

test('a process learns of requests in other processes before its own limit is reached', async () => {
  const { told, level } = await newCaller();
  const rateLimit = { quota: 1000, windowSeconds: 10_000 };
  const [busy, idle] = [
    await startGateway({ now, databaseUrl, rateLimit }),
    await startGateway({ now, databaseUrl, rateLimit }),
  ];
  // Until the service has verified its key, a client may not have as many open requests.
  await told(busy);
  await Promise.all(Array.from({ length: 399 }, () => told(busy)));
  await busy.rateLimits.flush();
  expect(await level()).toBe(400);
  expect(await told(idle)).toBe('"key";r=999;t=10');
  // Its own requests during this time are fewer than 100.
  await expect.poll(() => told(idle), { interval: 200 }).toMatch(/^"key";r=5\d\d;t=\d+$/);
});

test.each([
  [0, 0],
  [3_600_000, -3_600_000],
  [-3_600_000, 3_600_000],
])(
  'processes whose clocks are off by %i and %i ms share a limit exactly',
  async (first, second) => {
    const { told } = await newCaller();
    const rateLimit = { quota: 8, windowSeconds: 1000 };
    const [early, late] = [
      await startGateway({ now: () => time + first, databaseUrl, rateLimit }),
      await startGateway({ now: () => time + second, databaseUrl, rateLimit }),
    ];
    const left: (string | null)[] = [];
    for (const [gateway, requests] of [
      [early, 6],
      [late, 1],
      [late, 2],
      [early, 1],
      [early, 1],
    ] as const) {
      for (let request = 0; request < requests; request += 1) {
        left.push((await told(gateway))?.replace(/;t=\d+$/, '') ?? null);
      }
      await gateway.rateLimits.flush();
    }
    // Each process learns of the other's requests when it writes its own count.
    expect(left).toEqual(
      [7, 6, 5, 4, 3, 2, 7, 0, 0, 1, 0].map((remaining) => `"key";r=${remaining}`),
    );
  },
);

test.each([
  ['was far ahead', -36_000],
  ['is set forward', 36_000],
])('rate limit counts in a database whose clock %s expire at once', async (_what, seconds) => {
  const { status, level } = await newCaller();
  for (let count = 0; count < 4; count += 1) {
    expect(await status(one)).toBe(200);
  }
  await one.rateLimits.flush();
  expect(await level()).toBe(4);
  await setDatabaseClock(seconds);
  expect(await status(one)).toBe(429);
  expect(await status(other)).toBe(200);
  await other.rateLimits.flush();
  expect(await level()).toBe(1);
  expect([await status(other), await status(other)]).toEqual([200, 200]);
});

test('after one window a key may send requests again, however many processes it has exhausted', async () => {
  const policy = { name: 'key', quota: 400, windowSeconds: 8000 };
  const levels: (number | undefined)[] = [];
  const count = async (requests: number) => {
    levels.push(
      (await database.$rateLimitCounts.add(policy, [{ subject: 'many', requests }])).get('many')
        ?.level,
    );
  };
  for (let process = 0; process < 4; process += 1) {
    await count(400);
  }
  // Counts do not decrease until the clock has caught up.
  await setDatabaseClock(-4000);
  await count(0);
  await setDatabaseClock(12_000);
  await count(0);
  expect(levels.map((level) => Math.round((level ?? 0) / 10) * 10)).toEqual([
    400, 800, 800, 800, 800, 400,
  ]);
});

test('a process that cannot share its counts uses only its own counts, and logs one warning', async () => {
  const own = await startGateway({ now, rateLimit: { quota: 4, windowSeconds: 8 } });
  const [warn, info] = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'info')];
  const status = async () => (await own.request('/v1/pets')).status;
  // As happens automatically after half a second.
  const tryTwice = async () => {
    await own.rateLimits.flush();
    await own.rateLimits.flush();
  };
  await own.database.$executeRaw`ALTER TABLE _gateway_rate_limit_counts RENAME TO away`;
  expect([await status(), await status()]).toEqual([200, 200]);
  await tryTwice();
  expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  await tryTwice();
  expect(await status()).toBe(429);
  expect(warn.mock.calls.map(([, message]) => message)).toEqual([
    'rate limits are not shared: this process counts only its own requests',
  ]);

  // Half of the count that could not be written expires in the meantime.
  time += 4000;
  await tryTwice();
  await own.database.$executeRaw`ALTER TABLE away RENAME TO _gateway_rate_limit_counts`;
  await tryTwice();
  const rows = await own.tables.rateLimitCount.findMany({ omit: { at: true } });
  expect(rows).toEqual([{ policy: 'key', subject: '1', level: 2 }]);
  expect(info.mock.calls.flat()).toContain('rate limits are shared with the other processes again');
  expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  expect(warn).toHaveBeenCalledTimes(1);
});
