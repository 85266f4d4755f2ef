import { openDatabase } from '../support/store-database.ts';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createKey } from '../support/keys.ts';
import {
  addDeprecatedCalls,
  createDeprecatedCalls,
  listDeprecatedCalls,
} from '../../packages/gateway/src/usage/deprecated-calls.ts';
import { startGateway } from '../support/gateway.ts';

const { request, database, databaseUrl, deprecatedCalls } = await startGateway();

/** Creates an API key for one test, and the header that sends it. */
async function newKey(name: string) {
  const { key, id } = await createKey(database, { name });
  return { keyId: id, headers: { Authorization: `Bearer ${key}` } };
}

async function countOf(keyId: bigint): Promise<string[]> {
  const records = await listDeprecatedCalls(database);
  return records
    .filter(({ key }) => key.id === keyId)
    .map(({ field, calls }) => `${field} ${calls}`);
}

test('deprecated calls in both APIs are added up across flushes', async () => {
  const { keyId, headers } = await newKey('by both surfaces');
  await request('/v1/pets/0', { headers });
  await request('/v1/pets/1', { headers });
  await deprecatedCalls.flush();
  expect(await countOf(keyId)).toEqual(['pet 2']);
  const query = encodeURIComponent('{ pet(id: 0) { id } again: pet(id: 0) { id } }');
  await request(`/graphql?query=${query}`, { headers });
  for (let flushes = 0; flushes < 2; flushes += 1) {
    await deprecatedCalls.flush();
    expect(await countOf(keyId)).toEqual(['pet 4']);
  }
});

test('every call is counted when several processes write at the same time', async () => {
  const { keyId: first } = await newKey('first of two');
  const { keyId: second } = await newKey('second of two');
  const counted = [first, second].map((keyId) => ({ keyId, field: 'pet', calls: 2 }));
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      addDeprecatedCalls(database, index % 2 === 0 ? counted : counted.toReversed(), new Date()),
    ),
  );
  expect([await countOf(first), await countOf(second)]).toEqual([['pet 40'], ['pet 40']]);
});

test('the time of the last call is kept even if an earlier call is written later', async () => {
  const { keyId } = await newKey('last call');
  const counted = [{ keyId, field: 'pet', calls: 1 }];
  await addDeprecatedCalls(database, counted, new Date('2027-01-02T00:00:00Z'));
  await addDeprecatedCalls(database, counted, new Date('2027-01-01T00:00:00Z'));
  const record = (await listDeprecatedCalls(database)).find(({ key }) => key.id === keyId);
  expect(record?.lastAt.toISOString()).toBe('2027-01-02T00:00:00.000Z');
});

test('a deprecated call is written within 100 ms, and later calls are written together', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { keyId } = await newKey('in a moment');
  const calls = createDeprecatedCalls(database);
  using queries = vi.spyOn(Client.prototype, 'query');
  // An operator does not notice a delay of 100 ms.
  calls.count({ id: keyId, name: String(keyId) }, 'pet');
  vi.advanceTimersByTime(100);
  await expect.poll(() => countOf(keyId)).toEqual(['pet 1']);

  for (let call = 0; call < 3; call += 1) {
    calls.count({ id: keyId, name: String(keyId) }, 'pet');
    // Lets a write that is due begin before the next call.
    await vi.advanceTimersByTimeAsync(200);
  }
  await vi.advanceTimersByTimeAsync(400);
  await expect.poll(() => countOf(keyId)).toEqual(['pet 4']);
  const writes = queries.mock.calls.filter(([statement]) =>
    JSON.stringify(statement).includes('INSERT INTO _gateway_deprecated_calls'),
  );
  expect(writes).toHaveLength(2);
});

test('counts that cannot be written are kept for the next flush', async () => {
  const { keyId } = await newKey('kept');
  const own = openDatabase(databaseUrl);
  const calls = createDeprecatedCalls(own);
  calls.count({ id: keyId, name: String(keyId) }, 'pet');
  await database.$executeRaw`ALTER TABLE _gateway_deprecated_calls RENAME TO away`;
  await calls.flush();
  calls.count({ id: keyId, name: String(keyId) }, 'pet');
  await database.$executeRaw`ALTER TABLE away RENAME TO _gateway_deprecated_calls`;
  await calls.flush();
  expect(await countOf(keyId)).toEqual(['pet 2']);
  await own.$disconnect();
});
