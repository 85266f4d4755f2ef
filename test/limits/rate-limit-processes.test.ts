import { afterEach, expect, test } from 'vitest';
import { createKey, listKeys } from '../../src/auth/key-records.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';

/** 4 at once, and one more each 2 s. */
const LIMIT = { quota: 4, windowSeconds: 8 };

let time = Date.parse('2026-11-21');
const now = () => time;
const one = await startGateway({ now, rateLimit: LIMIT });
const { database, databaseUrl } = one;
const other = await startGateway({ now, databaseUrl, rateLimit: LIMIT });
const ahead = await startGateway({
  now: () => time + 3_600_000,
  databaseUrl,
  rateLimit: LIMIT,
});

afterEach(() => {
  // Long enough for whatever was used up.
  time += 60_000;
});

/** A caller of their own. */
async function newCaller() {
  const key = await createKey(database, 'caller', null);
  const subject = String((await listKeys(database)).at(-1)?.id);
  const list = (gateway: Gateway) =>
    gateway.request('/v1/pets', { headers: { Authorization: `Bearer ${key}` } });
  return {
    status: async (gateway: Gateway) => (await list(gateway)).status,
    told: async (gateway: Gateway) => (await list(gateway)).headers.get('RateLimit'),
    /** What all processes have told the database. */
    level: async () => {
      const where = { policy_subject: { policy: 'key', subject } };
      return (await database.rateLimitCount.findUnique({ where }))?.level;
    },
  };
}

test('what a key has used up in one process it has used up in the other', async () => {
  const { status, level } = await newCaller();
  for (let count = 0; count < 4; count += 1) {
    expect(await status(one)).toBe(200);
  }
  expect(await status(one)).toBe(429);
  await one.rateLimits.flush();
  expect(await level()).toBe(4);
  // What it does not know yet it does not refuse.
  expect(await status(other)).toBe(200);
  await other.rateLimits.flush();
  expect(await status(other)).toBe(429);
  time += 16_000;
  expect([await status(other), await status(one)]).toEqual([200, 200]);
});

test('a process learns what is used elsewhere while it has room', async () => {
  const { told, level } = await newCaller();
  const rateLimit = { quota: 1000, windowSeconds: 1000 };
  const [busy, idle] = [
    await startGateway({ now, databaseUrl, rateLimit }),
    await startGateway({ now, databaseUrl, rateLimit }),
  ];
  await Promise.all(Array.from({ length: 400 }, () => told(busy)));
  await busy.rateLimits.flush();
  expect(await level()).toBe(400);
  expect(await told(idle)).toBe('"key";r=999;t=1');
  // Itself it uses less than 100 meanwhile.
  await expect.poll(() => told(idle), { interval: 200 }).toMatch(/^"key";r=5\d\d;t=1$/);
});

test('a process whose clock is far ahead shuts nobody out', async () => {
  const { status, level } = await newCaller();
  for (let count = 0; count < 4; count += 1) {
    expect(await status(ahead)).toBe(200);
  }
  await ahead.rateLimits.flush();
  expect(await level()).toBe(4);
  expect(await status(one)).toBe(200);
  await one.rateLimits.flush();
  expect(await level()).toBe(1);
  expect([await status(one), await status(one)]).toEqual([200, 200]);
});

test('a process that ends tells what it has counted', async () => {
  const { status, level } = await newCaller();
  const ending = await startGateway({
    now,
    databaseUrl,
    rateLimit: { quota: 9000, windowSeconds: 9 },
  });
  await status(ending);
  await ending.rateLimits.flush();
  expect(await level()).toBe(1);
});

test('a window is enough for anybody, however many processes have each let them use up everything', async () => {
  const { add } = database.rateLimitCount.sharedCounts({ name: 'key', ...LIMIT });
  const levels: unknown[] = [];
  for (let process = 0; process < 4; process += 1) {
    levels.push((await add([{ subject: 'many', requests: 4 }], time)).get('many'));
  }
  levels.push((await add([{ subject: 'many', requests: 0 }], time + 8000)).get('many'));
  expect(levels).toEqual([4, 8, 8, 8, 4]);
});
