import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startGateway } from '@store-gateway/gateway';
import { gateway } from '../src/gateway.ts';

// A separate embedded PostgreSQL for this test. If the test runs as root, PostgreSQL runs as a different user.
const folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
await chmod(folder, 0o755);
const started = await startGateway(gateway, { DATA_DIR: folder });
const key = await started.createKey('test');
after(async () => {
  await started[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Sends a request. @returns the status, and the body if there is one */
async function send(method: string, path: string, body?: object): Promise<[number, unknown]> {
  const response = await fetch(started.url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return [response.status, text === '' ? undefined : JSON.parse(text)];
}

test('a book can be added, read through both APIs, changed and removed', async () => {
  const added = { id: 1, name: 'First book' };
  assert.deepEqual(await send('POST', '/v1/books', { name: added.name }), [201, added]);
  assert.deepEqual(await send('GET', '/v1/books'), [200, [added]]);
  assert.deepEqual(await send('POST', '/graphql', { query: '{ book(id: 1) { name } }' }), [
    200,
    { data: { book: { name: added.name } } },
  ]);
  const changed = { ...added, name: 'Another name' };
  assert.deepEqual(await send('PATCH', '/v1/books/1', { name: changed.name }), [200, changed]);
  assert.deepEqual(await send('DELETE', '/v1/books/1'), [204, undefined]);
  const [status] = await send('GET', '/v1/books/1');
  assert.equal(status, 404);
});

test('a book without a name is rejected', async () => {
  const [status] = await send('POST', '/v1/books', { name: '' });
  assert.equal(status, 400);
});

test('the gateway serves its OpenAPI document', async () => {
  const [status] = await send('GET', '/v1/openapi.json');
  assert.equal(status, 200);
});
