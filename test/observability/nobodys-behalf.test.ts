import { expect, inject, test } from 'vitest';
import { createKey } from '../../src/auth/key-records.ts';
import { openDatabase } from '../../src/database/client.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startService, type Service } from '../support/service.ts';

async function newStore() {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const database = openDatabase(databaseUrl);
  const keys = [await createKey(database, 'one', null), await createKey(database, 'other', null)];
  await database.$disconnect();
  return { databaseUrl, keys };
}

async function get({ url }: Service, path: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': `of ${key.slice(-6)}` };
  await (await fetch(url + path, { headers })).text();
}

/** All lines with a message, as members and values. */
function linesOf({ child }: Service, message: string): unknown[] {
  return child
    .stdout()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line): unknown => JSON.parse(line));
}

test('who calls what is deprecated is told as no part of the request that was the first to do so', async () => {
  const { databaseUrl, keys } = await newStore();
  await using service = await startService({ DATABASE_URL: databaseUrl });
  for (const key of keys) {
    await get(service, '/v1/pets/1', key);
  }
  const message = 'deprecated field called';
  await service.child.line('stdout', (line) => line.includes(message) && line.includes('"2"'));
  const line = { level: 40, time: expect.any(Number) as unknown, field: 'pet', calls: 1 };
  expect(linesOf(service, message)).toEqual([
    { ...line, keyId: '1', msg: message },
    { ...line, keyId: '2', msg: message },
  ]);
});

test('a connection that is lost while idle is told as no part of the request that it was made for', async () => {
  const { databaseUrl, keys } = await newStore();
  const [key = ''] = keys;
  await using proxy = await startCuttingProxy(databaseUrl);
  await using service = await startService({ DATABASE_URL: proxy.url });
  // Those of the start go first, so that requests have to make theirs.
  const message = 'idle database connection lost';
  const isTold = () => linesOf(service, message).length;
  await get(service, '/v1/pets', key);
  proxy.cutAll();
  await expect.poll(isTold).toBeGreaterThan(0);
  const before = isTold();
  await get(service, '/v1/pets', key);
  proxy.cutAll();
  await expect.poll(isTold).toBeGreaterThan(before);
  const line = { level: 40, time: expect.any(Number) as unknown, msg: message };
  expect(linesOf(service, message)).toEqual(
    Array.from({ length: isTold() }, () => ({ ...line, reason: expect.any(String) as unknown })),
  );
});
