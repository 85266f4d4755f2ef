import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createdPath } from '../support/links.ts';
import { startStoreBehindProxy } from './support/store-behind-proxy.ts';

const store = await startStoreBehindProxy();
const key = { Authorization: `Bearer ${store.key}` };
const gzip = { ...key, 'Accept-Encoding': 'gzip' };

/** Sends a request; unlike fetch, it does not decompress the response. */
async function ask(path: string, headers: Record<string, string>, body?: string) {
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(store.url + path, { method, headers, agent: false })
      .once('response', resolve)
      .once('error', reject)
      .end(body);
  });
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

const create = (name: string) =>
  store.request('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1 }),
  });

test('HAProxy compresses JSON for clients that accept gzip, and conditional requests still work', async () => {
  const path = createdPath(await create('Rex'.repeat(80)));
  for (let added = 0; added < 20; added += 1) await create(`Rex ${added}`);
  const list = '/v1/pets?limit=20';
  const plain = await ask(list, key);
  const compressed = await ask(list, gzip);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect(compressed.body.length).toBeLessThan(plain.body.length / 3);
  expect(gunzipSync(compressed.body)).toEqual(plain.body);
  // The tag changes from strong to weak, because the bytes differ (RFC 9110, 8.8.3.3).
  expect(plain.headers.etag).toMatch(/^"/);
  expect(compressed.headers.etag).toBe(`W/${plain.headers.etag}`);
  for (const { headers } of [compressed, plain]) {
    const again = await ask(list, { ...gzip, 'If-None-Match': headers.etag ?? '' });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  }
  expect(compressed.headers.vary).toMatch(/accept-encoding/i);

  const { etag = '' } = (await ask(path, gzip)).headers;
  expect(etag).toMatch(/^W\//);
  const sell = () =>
    store.request(path, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json', 'If-Match': etag },
      body: '{"status":"sold"}',
    });
  expect([(await sell()).status, (await sell()).status]).toEqual([200, 412]);
});

test.each(['application/json', 'application/graphql-response+json'])(
  'HAProxy compresses %s',
  async (Accept) => {
    const sent = { ...gzip, Accept, 'Content-Type': 'application/json' };
    const { headers } = await ask('/graphql', sent, '{"query":"{ __schema { types { name } } }"}');
    expect(headers['content-type']).toContain(Accept);
    expect(headers['content-encoding']).toBe('gzip');
  },
);

test.each(['/', '/docs', '/v1/openapi.json'])(
  "HAProxy keeps the gateway's compression and strong entity tag for %s",
  async (path) => {
    const answer = await ask(path, { Accept: 'text/html', 'Accept-Encoding': 'gzip' });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(answer.headers.etag).toMatch(/^"/);
    expect(gunzipSync(answer.body).length).toBeGreaterThan(answer.body.length);
  },
);
