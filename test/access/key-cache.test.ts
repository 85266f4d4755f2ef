import { generateApiKey } from '../support/store-database.ts';
import { Client } from 'pg';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import {
  findKey,
  hashApiKey,
  restrictKey,
  UNRESTRICTED,
} from '../../packages/access/src/keys/api-keys.ts';
import { createKey, cachesReadClock } from '../support/keys.ts';
import { startGateway } from '../support/gateway.ts';

const { request, database, tables } = await startGateway();

/** Milliseconds for which a key is cached. For real time and several processes, see test/timing/access-revocation.test.ts. */
const REMEMBERED = 3000;

const queries = vi.spyOn(Client.prototype, 'query');
/** The clock of the key cache, which only the test advances. */
let milliseconds = performance.now();
vi.spyOn(performance, 'now').mockImplementation(() => milliseconds);
afterEach(() => {
  queries.mockClear();
});
afterAll(() => {
  vi.restoreAllMocks();
});

/** Returns how many queries for keys the current test has caused. */
function keyQueries(): number {
  return queries.mock.calls.filter(([statement]) =>
    JSON.stringify(statement).includes('_gateway_api_keys'),
  ).length;
}

async function pass(time: number): Promise<void> {
  milliseconds += time;
  await cachesReadClock();
}

async function statusWith(key: string): Promise<number> {
  return (await request('/v1/pets', { headers: { Authorization: `Bearer ${key}` } })).status;
}

/** Creates a valid key that the service has not cached yet. */
async function newKey(expiresAt: Date | null = null): Promise<string> {
  const { key } = await createKey(database, { name: 'new', expiresAt });
  queries.mockClear();
  return key;
}

test('restricting a key, or lifting its restrictions, takes effect after 3 s', async () => {
  const key = await newKey();
  const told = async () =>
    (await request('/key', { headers: { Authorization: `Bearer ${key}` } })).json;
  const { id } = (await findKey(database, key)) ?? { id: 0n };
  const reads = { ...UNRESTRICTED, scopes: new Set(['read']) };
  expect(await told()).toMatchObject({ scopes: null });
  await restrictKey(database, { id, restrictions: UNRESTRICTED }, reads);
  await pass(REMEMBERED + 1);
  expect(await told()).toMatchObject({ scopes: ['read'] });
  await restrictKey(database, { id, restrictions: reads }, UNRESTRICTED);
  await pass(REMEMBERED + 1);
  expect(await told()).toMatchObject({ scopes: null });
});

test('a cached key is rejected when it expires', async () => {
  const key = await newKey(new Date(Date.now() + REMEMBERED - 500));
  expect(await statusWith(key)).toBe(200);
  await pass(REMEMBERED - 500);
  expect([await statusWith(key), keyQueries()]).toEqual([401, 1]);
});

test('a key is queried once in 3 s, even if concurrent requests use it', async () => {
  const key = await newKey();
  for (const queried of [1, 1, 2]) {
    if (queried === 2) {
      await pass(REMEMBERED + 1);
    }
    const statuses = await Promise.all(Array.from({ length: 50 }, () => statusWith(key)));
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(keyQueries()).toBe(queried);
  }
});

test('a mistyped key is not looked up in the database', async () => {
  const key = await newKey();
  const mistyped = Array.from(key, (character, position) =>
    [key.slice(0, position), character === 'x' ? 'y' : 'x', key.slice(position + 1)].join(''),
  );
  const statuses = await Promise.all(mistyped.map(statusWith));
  expect(statuses).toEqual(mistyped.map(() => 401));
  expect(keyQueries()).toBe(0);
});

test('the rejection of a key is not cached', async () => {
  const key = generateApiKey();
  expect([await statusWith(key), await statusWith(key)]).toEqual([401, 401]);
  expect(keyQueries()).toBe(2);
  await tables.apiKey.create({ data: { name: 'late', hash: hashApiKey(key) } });
  expect(await statusWith(key)).toBe(200);
});
