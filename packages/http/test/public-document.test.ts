import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, expect, test } from 'vitest';
import {
  preparePublicDocument,
  servePublicDocument,
  versioned,
} from '../src/message/public-document.ts';

const CONTENT = 'a document for everyone, '.repeat(1000);
const document = await preparePublicDocument(CONTENT, 'text/plain; charset=utf-8');

const app = express();
app.all(
  '/document',
  servePublicDocument(() => Promise.resolve(document)),
);
const server = createServer(app).listen(0, '127.0.0.1');
afterAll(() => {
  server.close();
});
await once(server, 'listening');
const address = server.address();
const port = typeof address === 'object' ? (address?.port ?? 0) : 0;

/** Node's own client, which adds no header and decompresses nothing. */
async function ask(
  headers: Record<string, string>,
  { method = 'GET', path = '/document' } = {},
): Promise<{ status: number; headers: Headers; body: Buffer }> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers }).end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  const body = Buffer.concat(await response.toArray());
  const received = new Headers(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  );
  return { status: response.statusCode ?? 0, headers: received, body };
}

function decoded(encoding: string | null, body: Buffer): string {
  if (encoding === 'br') {
    return brotliDecompressSync(body).toString();
  }
  return (encoding === 'gzip' ? gunzipSync(body) : body).toString();
}

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br; q=0.5 , GZIP;Q=0.4', 'br'],
  ['br;q=0, gzip;q=0.001', 'gzip'],
  ['br;q=0, gzip;q=0', null],
  ['*', 'br'],
  ['*;q=0.5, br;q=0.1', 'gzip'],
  ['identity, *;q=0.5', null],
  ['identity;q=0.5, gzip', 'gzip'],
  ['*;q=0', null],
  ['zstd', null],
  ['', null],
  [undefined, null],
])('to Accept-Encoding: %s the document is sent in %s', async (accepted, encoding) => {
  const { status, headers, body } = await ask(
    accepted === undefined ? {} : { 'Accept-Encoding': accepted },
  );
  expect([status, headers.get('Content-Encoding'), headers.get('Vary')]).toEqual([
    200,
    encoding,
    'Accept-Encoding',
  ]);
  expect(headers.get('Content-Length')).toBe(String(body.length));
  expect(decoded(encoding, body)).toBe(CONTENT);
});

test.each(['br', 'gzip', 'identity'])(
  'in %s it is 304 for whoever has it in that encoding, and the same for HEAD',
  async (encoding) => {
    const accepted = { 'Accept-Encoding': encoding };
    const { headers, body } = await ask(accepted);
    const tag = headers.get('ETag') ?? '';
    const again = await ask({ ...accepted, 'If-None-Match': tag });
    expect([again.status, again.body.length, again.headers.get('ETag')]).toEqual([304, 0, tag]);
    const other = await ask({
      'Accept-Encoding': encoding === 'br' ? 'gzip' : 'br',
      'If-None-Match': tag,
    });
    expect([other.status, other.headers.get('ETag') === tag]).toEqual([200, false]);
    const head = await ask(accepted, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers.get('Content-Length')).toBe(String(body.length));
    expect(head.headers.get('ETag')).toBe(tag);
  },
);

async function cacheControl(path: string): Promise<string | null> {
  return (await ask({}, { path })).headers.get('Cache-Control');
}

test('under its version it may be kept for good, under any other reference it is asked about', async () => {
  expect(await cacheControl(versioned('/document', document))).toBe(
    'public, max-age=31536000, immutable',
  );
  expect(await cacheControl('/document')).toBe('public, no-cache');
  // Of another release of the service, during a rolling upgrade.
  expect(await cacheControl('/document?AAAAAAAAAAAAAAAA')).toBe('public, no-cache');
});

test('another content has another version', async () => {
  const other = await preparePublicDocument(`${CONTENT}.`, document.mediaType);
  expect(other.version).not.toBe(document.version);
});
