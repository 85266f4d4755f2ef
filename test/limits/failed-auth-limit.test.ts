import assert from 'node:assert/strict';
import { generateApiKey } from '../support/store-database.ts';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { createFailedAttempts } from '../../packages/access/src/keys/failed-attempts.ts';
import { createValidKeys } from '../../packages/access/src/keys/authenticate.ts';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { cachesReadClock, createKey } from '../support/keys.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { expectRejectedAddress } from '../support/error-body.ts';

/** 3 attempts at once, and one more every 2 s. */
const failedAuthLimit = { quota: 3, windowSeconds: 6 };
let time = Date.parse('2026-11-21');
const now = () => time;
const gateway = await startGateway({ now, failedAuthLimit, trustedProxies: ['loopback'] });
const { database, tables } = gateway;
const direct = await startGateway({ now, failedAuthLimit });

const queries = vi.spyOn(Client.prototype, 'query');

function statementsNamed(name: string): number {
  return queries.mock.calls.filter(([query]) => JSON.stringify(query).includes(`"${name}"`)).length;
}

const keyQueries = () => statementsNamed('find-key-by-hash');
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

async function ask(from: string, key: string, { path = '/v1/pets', of = gateway } = {}) {
  const headers = { Authorization: `Bearer ${key}`, 'X-Forwarded-For': from };
  return of.request(path, { headers });
}

async function statusFrom(from: string, key = generateApiKey(), of: Gateway = gateway) {
  return (await ask(from, key, { of })).status;
}

/** Sends invalid keys until the address has no attempts left. */
async function exhaust(from: string, of: Gateway = gateway): Promise<void> {
  for (const key of ['no', generateApiKey(), generateApiKey()]) {
    expect(await statusFrom(from, key, of)).toBe(401);
  }
  expect(await statusFrom(from, generateApiKey(), of)).toBe(429);
}

test('an address with too many failed attempts gets 429 from both APIs, without a look-up', async () => {
  await exhaust('192.0.2.1');
  queries.mockClear();
  const rest = await ask('192.0.2.1', generateApiKey());
  const graphql = await ask('192.0.2.1', generateApiKey(), { path: '/graphql?query={pets{id}}' });
  expectRejectedAddress(
    { rest, graphql },
    {
      policy: '"failed-auth";q=3;w=6',
      state: '"failed-auth";r=0;t=2',
      retryAfter: '2',
    },
  );
  expect(keyQueries()).toBe(0);
});

test('a known key from the same address is accepted, even when it has to be looked up again', async () => {
  const { key } = await createKey(database, { name: 'neighbour' });
  expect(await statusFrom('192.0.2.6', key)).toBe(200);
  await exhaust('192.0.2.6');
  expect(await statusFrom('192.0.2.6', key)).toBe(200);
  // Longer than a key is cached.
  const later = performance.now() + 4000;
  using clock = vi.spyOn(performance, 'now').mockReturnValue(later);
  await cachesReadClock();
  queries.mockClear();
  expect([await statusFrom('192.0.2.6', key), keyQueries()]).toEqual([200, 1]);

  await tables.apiKey.update({
    where: { hash: hashApiKey(key) },
    data: { revokedAt: new Date() },
  });
  clock.mockReturnValue(later + 4000);
  await cachesReadClock();
  expect(await statusFrom('192.0.2.6', key)).toBe(401);
  queries.mockClear();
  expect([await statusFrom('192.0.2.6', key), keyQueries()]).toEqual([429, 0]);
});

test('after Retry-After, one more unknown key is looked up, whether or not it is valid', async () => {
  await exhaust('192.0.2.7');
  const { key } = await createKey(database, { name: 'stranger' });
  expect(await statusFrom('192.0.2.7', key)).toBe(429);
  time += 2000;
  expect([await statusFrom('192.0.2.7'), await statusFrom('192.0.2.7')]).toEqual([401, 429]);
  time += 2000;
  expect(await statusFrom('192.0.2.7', key)).toBe(200);
});

test('a new valid key is accepted soon, even if its address keeps sending invalid keys', async () => {
  await exhaust('192.0.2.11');
  const { key } = await createKey(database, { name: 'newcomer' });
  queries.mockClear();
  let tried = 0;
  const tryOthers = async () => {
    const statuses = await Promise.all(times(20).map(() => statusFrom('192.0.2.11')));
    tried += statuses.length;
    expect(new Set(statuses)).toEqual(new Set([429]));
  };
  await expect
    .poll(
      async () => {
        await tryOthers();
        return statusFrom('192.0.2.11', key);
      },
      { timeout: 20_000 },
    )
    .toBe(200);
  await tryOthers();
  // Of all these keys, only this one was looked up on its own.
  expect(keyQueries()).toBe(1);
  // The others were looked up by one statement every 0.9 s, however long that many requests take.
  expect(statementsNamed('find-keys-by-hashes')).toBeLessThan(tried / 2);
});

test('a revoked key from an address beyond the limit is rejected', async () => {
  const { key } = await createKey(database, { name: 'revoked' });
  await tables.apiKey.update({
    where: { hash: hashApiKey(key) },
    data: { revokedAt: new Date() },
  });
  const { key: good } = await createKey(database, { name: 'good' });
  await exhaust('192.0.2.12');
  await expect
    .poll(async () => [await statusFrom('192.0.2.12', key), await statusFrom('192.0.2.12', good)], {
      timeout: 20_000,
    })
    .toEqual([429, 200]);
  expect(await statusFrom('192.0.2.12', key)).toBe(429);
});

test('a request without a key does not count as a failed attempt', async () => {
  for (let count = 0; count < 5; count += 1) {
    const headers = { Authorization: '', 'X-Forwarded-For': '192.0.2.8' };
    expect((await gateway.request('/v1/pets', { headers })).status).toBe(401);
  }
  expect(await statusFrom('192.0.2.8')).toBe(401);
});

const MANY_PROXIES = Array.from({ length: 1000 }, () => '127.0.0.9').join(', ');

test.each([
  ['before its real address', ['198.51.100.1', '198.51.100.2, ::1', 'x'], ', 192.0.2.9', gateway],
  [
    'before a thousand proxies',
    ['198.51.100.7', '198.51.100.8', '::1'],
    `, ${MANY_PROXIES}`,
    gateway,
  ],
  ['without trusted proxies', ['198.51.100.4', '198.51.100.5', '::1'], '', direct],
])('a client cannot forge its address in X-Forwarded-For %s', async (_what, written, rest, of) => {
  for (const address of written) {
    expect(await statusFrom(address + rest, generateApiKey(), of)).toBe(401);
  }
  expect(await statusFrom(`198.51.100.10${rest}`, generateApiKey(), of)).toBe(429);
});

test.each([
  ['2001:db8:0:1::1', '2001:DB8::1:ffff:0:0:2', '2001:db8:0:1:1:2:3.4.5.6', '2001:db8:0:2::1'],
  ['203.0.113.1', '::ffff:203.0.113.1', '::FFFF:cb00:7101', '203.0.113.2'],
  ['203.0.113.11:5678', '203.0.113.11', '[::ffff:cb00:710b]:80', '203.0.113.12:5678'],
  ['[2001:db8:0:3::1]:5678', '2001:db8:0:3::2', '[2001:db8:0:3::3]', '[2001:db8:0:4::1]:5678'],
  ['203.0.113.21, 127.0.0.2:80', '203.0.113.21', '203.0.113.21, [::1]:80', '203.0.113.22, ::1'],
  ['', 'unknown', '_hidden, [::1]:80', '203.0.113.3'],
])(
  '%j, %j and %j count as one address, and %j counts as a different one',
  async (first, second, third, other) => {
    for (const from of [first, second, third]) {
      expect(await statusFrom(from)).toBe(401);
    }
    expect([await statusFrom(first), await statusFrom(third), await statusFrom(other)]).toEqual([
      429, 429, 401,
    ]);
  },
);

test('failed attempts in one process count in the other process', async () => {
  // The database's clock continues, but the address regains practically no attempts during a test.
  const options = {
    now,
    failedAuthLimit: { quota: 3, windowSeconds: 6000 },
    trustedProxies: ['loopback'],
  };
  const first = await startGateway(options);
  const { tables: shared, databaseUrl } = first;
  await exhaust('192.0.2.10', first);
  await first.rateLimits.flush();
  const second = await startGateway({ ...options, databaseUrl });
  // Until it flushes, the second process does not know of the failed attempts.
  expect(await statusFrom('192.0.2.10', generateApiKey(), second)).toBe(401);
  await second.rateLimits.flush();
  expect(await statusFrom('192.0.2.10', generateApiKey(), second)).toBe(429);
  const subjects = await shared.rateLimitCount.findMany({ where: { policy: 'failed-auth' } });
  expect(subjects.map(({ subject }) => subject)).toContain('192.0.2.10');
});

test('the last 10,000 valid keys are accepted from an address beyond the limit', async () => {
  const kept = 10_000;
  const { failedAuth } = gateway.rateLimits;
  assert(failedAuth !== undefined);
  const validKeys = createValidKeys();
  const begin = createFailedAttempts(failedAuth, validKeys, () => undefined);
  for (const address of ['other', 'address', 'address', 'address']) {
    using bad = await begin('bad', address);
    bad.failed();
  }
  for (let key = 0; key <= kept; key += 1) {
    validKeys.set(`key ${key}`, String(key));
  }
  const isRefused = (key: string) =>
    begin(key, 'address').then(
      () => false,
      () => true,
    );
  expect(await Promise.all(['bad', 'key 0', 'key 1', `key ${kept}`].map(isRefused))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
