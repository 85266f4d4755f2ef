import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { captureLog } from '../support/captured-log.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { requestOf, startGateway } from '../support/gateway.ts';

const TIMEOUT = 6000;
const proxy = await startDatabaseProxy();
const gateway = await startGateway({ databaseUrl: proxy.url, requestTimeout: TIMEOUT });
const patient = await startGateway();
const log = captureLog();

/** Sends requests with a newly cached API key. On a busy machine, the cache may have dropped the key of `gateway`. */
async function anotherClient(name: string) {
  const request = requestOf(gateway.url, (await createKey(gateway.database, { name })).key);
  await request('/v1/pets');
  return request;
}

/** A query with a complexity of 410. A key may run 24 of them at once within its limit of 10,000. */
const page = (index: number) =>
  `/graphql?query={pets(limit:100,after:${index}){id,name,status,categoryId}}`;

async function statusesOf(request: typeof gateway.request, count: number): Promise<Set<number>> {
  const sent = Array.from({ length: count }, (_, index) => request(page(index)));
  return new Set((await Promise.all(sent)).map(({ status }) => status));
}

test('operations beyond the complexity limit wait until others have finished', async () => {
  expect(await statusesOf(patient.request, 100)).toEqual(new Set([200]));
});

test('each key has its own limit on the complexity of its running operations', async () => {
  const [one, other] = await Promise.all([anotherClient('one'), anotherClient('other')]);
  const before = log.lines('waitedMs').length;
  proxy.hold();
  const statuses = await Promise.all([statusesOf(one, 60), statusesOf(other, 10)]);
  proxy.letGo();
  expect(statuses).toEqual([new Set([503]), new Set([503])]);
  // The running operations waited for the database until the deadline of the waiting ones had also passed.
  const waited = log
    .lines('waitedMs')
    .slice(before)
    .filter(({ waitedMs }) => Number(waitedMs) > TIMEOUT / 2)
    .map(({ keyId }) => keyId);
  expect([waited.length, new Set(waited).size]).toEqual([36, 1]);
});
