import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { generateApiKey, hashApiKey } from '../../src/auth/api-key.ts';
import { createKey } from '../../src/auth/key-records.ts';
import { startGateway } from '../support/gateway.ts';

const { request, database } = await startGateway();

const queries = vi.spyOn(Client.prototype, 'query');
afterEach(() => {
  queries.mockClear();
});

/** How often the database has been asked for a key since the test began. */
function keyQueries(): number {
  return queries.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('api_keys'))
    .length;
}

async function statusWith(key: string): Promise<number> {
  return (await request('/v1/pets', { headers: { Authorization: `Bearer ${key}` } })).status;
}

/** A valid key of which the service knows nothing yet. */
async function newKey(expiresAt: Date | null = null): Promise<string> {
  const key = await createKey(database, 'new', expiresAt);
  queries.mockClear();
  return key;
}

test('a revoked key stops working within 5 s, for good', async () => {
  const key = await newKey();
  expect(await statusWith(key)).toBe(200);
  await database.apiKey.update({
    where: { hash: hashApiKey(key) },
    data: { revokedAt: new Date() },
  });

  const revoked = performance.now();
  for (let sent = revoked; (await statusWith(key)) === 200; sent = performance.now()) {
    expect(sent - revoked).toBeLessThan(5000);
  }
  expect([await statusWith(key), await statusWith(key)]).toEqual([401, 401]);
});

test('a key that is remembered stops working at the moment at which it expires', async () => {
  const expiresAt = new Date(Date.now() + 1000);
  const key = await newKey(expiresAt);
  let sent = new Date();
  while ((await statusWith(key)) === 200) {
    expect(sent.getTime()).toBeLessThan(expiresAt.getTime());
    sent = new Date();
  }
  expect(new Date().getTime()).toBeGreaterThanOrEqual(expiresAt.getTime());
});

test('many requests at once with a new key ask the database for it once', async () => {
  const key = await newKey();
  const statuses = await Promise.all(Array.from({ length: 50 }, () => statusWith(key)));
  expect(statuses).toEqual(statuses.map(() => 200));
  expect(keyQueries()).toBe(1);
});

test('a known key is asked for once in 3 s', async () => {
  const key = await newKey();
  const started = performance.now();
  for (let count = 0; count < 20; count += 1) {
    expect(await statusWith(key)).toBe(200);
  }
  const elapsed = performance.now() - started;
  expect(keyQueries()).toBeGreaterThan(0);
  expect(keyQueries()).toBeLessThanOrEqual(1 + elapsed / 3000);
});

test('a mistyped key costs no query', async () => {
  const key = await newKey();
  const mistyped = Array.from(key, (character, position) =>
    [key.slice(0, position), character === 'x' ? 'y' : 'x', key.slice(position + 1)].join(''),
  );
  const statuses = await Promise.all(mistyped.map(statusWith));
  expect(statuses).toEqual(mistyped.map(() => 401));
  expect(queries).not.toHaveBeenCalled();
});

test('that a key was refused is not remembered', async () => {
  const key = generateApiKey();
  expect([await statusWith(key), await statusWith(key)]).toEqual([401, 401]);
  expect(keyQueries()).toBe(2);
  await database.apiKey.create({ data: { name: 'late', hash: hashApiKey(key) } });
  expect(await statusWith(key)).toBe(200);
});
