import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createdPath } from '../support/created-path.ts';
import { startStoreBehindProxy } from './support/store-behind-proxy.ts';

/** Sends what is given and decompresses nothing, as fetch would. */
async function ask(url: string, headers: Record<string, string>, body?: string) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, { method: body === undefined ? 'GET' : 'POST', headers, agent: false })
      .once('response', resolve)
      .once('error', reject)
      .end(body);
  });
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

test('HAProxy compresses JSON for who takes gzip, and conditional requests go on', async () => {
  await using store = await startStoreBehindProxy();
  for (let added = 0; added < 20; added += 1) {
    const body = `{"name":"Rex ${added}","categoryId":1}`;
    const headers = { 'Content-Type': 'application/json' };
    await store.request('/v1/pets', { method: 'POST', headers, body });
  }
  const list = `${store.url}/v1/pets?limit=20`;
  const key = { Authorization: `Bearer ${store.key}` };
  const gzip = { ...key, 'Accept-Encoding': 'gzip' };

  const plain = await ask(list, key);
  const compressed = await ask(list, gzip);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect(compressed.body.length).toBeLessThan(plain.body.length / 3);
  expect(gunzipSync(compressed.body)).toEqual(plain.body);
  // Strong and weak: the bytes differ (RFC 9110, 8.8.3.3).
  expect(plain.headers.etag).toMatch(/^"/);
  expect(compressed.headers.etag).toBe(`W/${plain.headers.etag}`);
  for (const { headers } of [compressed, plain]) {
    const again = await ask(list, { ...gzip, 'If-None-Match': headers.etag ?? '' });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  }
  expect(compressed.headers.vary).toMatch(/accept-encoding/i);

  const types = ['application/json', 'application/graphql-response+json'];
  for (const Accept of types) {
    const sent = { ...gzip, Accept, 'Content-Type': 'application/json' };
    const answer = await ask(`${store.url}/graphql`, sent, '{"query":"{ pets { id name } }"}');
    expect(answer.headers['content-type']).toContain(Accept);
    expect(answer.headers['content-encoding']).toBe('gzip');
  }
});

test('through HAProxy, pages keep the compression and the strong tag of the gateway', async () => {
  await using store = await startStoreBehindProxy();
  for (const path of ['/', '/docs', '/v1/openapi.json']) {
    const headers = { Accept: 'text/html', 'Accept-Encoding': 'gzip' };
    const answer = await ask(store.url + path, headers);
    expect([path, answer.headers['content-encoding']]).toEqual([path, 'gzip']);
    expect(answer.headers.etag).toMatch(/^"/);
    expect(gunzipSync(answer.body).length).toBeGreaterThan(answer.body.length);
  }
});

test('a change may expect the version of a response that HAProxy has compressed', async () => {
  await using store = await startStoreBehindProxy();
  const created = await store.request('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Rex'.repeat(80), categoryId: 1 }),
  });
  const path = createdPath(created);
  const gzip = { Authorization: `Bearer ${store.key}`, 'Accept-Encoding': 'gzip' };
  const { headers } = await ask(store.url + path, gzip);
  const { etag = '' } = headers;
  expect([headers['content-encoding'], etag]).toEqual(['gzip', expect.stringMatching(/^W\//)]);
  const sell = () =>
    store.request(path, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json', 'If-Match': etag },
      body: '{"status":"sold"}',
    });
  expect((await sell()).status).toBe(200);
  expect((await sell()).status).toBe(412);
});
