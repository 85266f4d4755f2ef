import { generateApiKey } from '../support/store-database.ts';
import { Client } from 'pg';
import { beforeEach, expect, test, vi } from 'vitest';
import { createKey } from '../support/keys.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { newDatabase } from '../support/new-database.ts';

const QUOTA = 60;
const failedAuthLimit = { quota: QUOTA, windowSeconds: 60 };

let time = 0;
const now = () => time;
const storeUrl = await newDatabase();
const proxy = await startDatabaseProxy(storeUrl);
const options = { now, failedAuthLimit, trustedProxies: ['loopback'] };
const gateway = await startGateway({ ...options, databaseUrl: proxy.url });
/** A database client whose responses are never held back. */
const { database } = await startGateway({ databaseUrl: storeUrl });

const queries = vi.spyOn(Client.prototype, 'query');
beforeEach(() => {
  queries.mockClear();
});

function lookUps(): number {
  return queries.mock.calls.filter(([query]) => JSON.stringify(query).includes('find-key-by-hash'))
    .length;
}

let asked = 0;

/** Sends a unique request, because identical concurrent requests would count as one attempt. */
async function ask(from: string, key = generateApiKey(), of: Gateway = gateway) {
  asked += 1;
  const headers = { Authorization: `Bearer ${key}`, 'X-Forwarded-For': from };
  return of.request(`/v1/pets?number=${asked}`, { headers });
}

async function statusesOf(answers: readonly ReturnType<typeof ask>[]): Promise<number[]> {
  return (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b);
}

const times = <Value>(count: number, value: Value): Value[] =>
  Array.from({ length: count }, () => value);

/** Sends requests with these keys, which all reach the gateway before the database answers any of them. */
async function askAtOnce(from: string, keys: readonly string[]) {
  const { failedAuth } = gateway.rateLimits;
  using looked = vi.spyOn(failedAuth ?? { peek: () => undefined }, 'peek');
  proxy.hold();
  const answers = keys.map((key) => ask(from, key));
  await expect.poll(() => looked.mock.calls.length).toBeGreaterThanOrEqual(keys.length);
  proxy.letGo();
  return answers;
}

test('concurrent unknown keys are looked up only up to the limit of failed attempts, and the rest get 429', async () => {
  const from = '192.0.2.1';
  const keys = Array.from({ length: 200 }, generateApiKey);
  const answers = await askAtOnce(from, keys);
  expect(await statusesOf(answers)).toEqual([...times(QUOTA, 401), ...times(140, 429)]);
  expect(lookUps()).toBe(QUOTA);
  const refused = (await Promise.all(answers)).filter(({ status }) => status === 429);
  const names = ['RateLimit-Policy', 'RateLimit', 'Retry-After'];
  expect(refused.map(({ headers }) => names.map((name) => headers.get(name)))).toEqual(
    times(140, ['"failed-auth";q=60;w=60', '"failed-auth";r=0;t=1', '1']),
  );

  time += 1000;
  queries.mockClear();
  const later = await askAtOnce(from, keys.slice(0, 64));
  expect(await statusesOf(later)).toEqual([401, ...times(63, 429)]);
  expect(lookUps()).toBe(1);
});

test('concurrent new valid keys are all accepted, and do not count as failed attempts', async () => {
  const from = '192.0.2.2';
  const created = await Promise.all(times(150, 'new').map((name) => createKey(database, { name })));
  const keys = created.map(({ key }) => key);
  expect(await statusesOf(await askAtOnce(from, keys))).toEqual(times(150, 200));
  const unknown = Array.from({ length: QUOTA + 1 }, generateApiKey);
  expect(await statusesOf(await askAtOnce(from, unknown))).toEqual([...times(QUOTA, 401), 429]);
});

test('a new valid key is accepted on many connections at once', async () => {
  const { key } = await createKey(database, { name: 'new' });
  queries.mockClear();
  const answers = await askAtOnce('192.0.2.3', times(150, key));
  expect([await statusesOf(answers), lookUps()]).toEqual([times(150, 200), 1]);
});

test('API key lookups for one IP address do not delay requests from another', async () => {
  const hog = await startGateway({
    ...options,
    failedAuthLimit: { quota: 1, windowSeconds: 60 },
    databaseUrl: proxy.url,
  });
  proxy.hold();
  const [tried, waiting] = [ask('192.0.2.4', undefined, hog), ask('192.0.2.4', undefined, hog)];
  // A malformed key is rejected without a look-up, unless its address has no attempts left.
  expect((await ask('192.0.2.5', 'no key', hog)).status).toBe(401);
  proxy.letGo();
  expect(await statusesOf([tried, waiting])).toEqual([401, 429]);
});

test('a failed look-up does not count as a failed attempt', async () => {
  const from = '192.0.2.6';
  await database.$executeRaw`ALTER TABLE _gateway_api_keys RENAME TO away`;
  const failures = await statusesOf(Array.from({ length: 2 * QUOTA }, () => ask(from)));
  await database.$executeRaw`ALTER TABLE away RENAME TO _gateway_api_keys`;
  expect(new Set(failures)).toEqual(new Set([500]));
  const keys = Array.from({ length: QUOTA + 1 }, generateApiKey);
  expect(await statusesOf(await askAtOnce(from, keys))).toEqual([...times(QUOTA, 401), 429]);
});

test('a request that waits for other look-ups times out as usual', async () => {
  const impatient = await startGateway({
    ...options,
    failedAuthLimit: { quota: 1, windowSeconds: 60 },
    databaseUrl: proxy.url,
    databaseTimeouts: { connection: 600_000, statement: 600_000 },
    requestTimeout: 200,
  });
  proxy.hold();
  const answers = [1, 2, 3].map(() => ask('192.0.2.7', undefined, impatient));
  expect(await statusesOf(answers)).toEqual([503, 503, 503]);
  proxy.letGo();
});
