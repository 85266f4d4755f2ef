import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { randomBytes } from 'node:crypto';
import { buffer, json } from 'node:stream/consumers';
import {
  brotliCompressSync,
  constants,
  createZstdCompress,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import express from 'express';
import { afterAll, expect, test } from 'vitest';
import { errorBody, errorWriter } from '../src/message/error-writer.ts';
import { readJsonObject, TOO_LARGE_BODY, withSmallWindow } from '../src/message/request-body.ts';

const app = express();
app.post('/', async (request, response) => {
  const body = await readJsonObject(request, response, () => Promise.resolve());
  response.json({ members: Object.keys(body) });
});
app.use(errorWriter({ type: () => 'application/json', body: errorBody }));
const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());

const READ = { members: ['a'] };
const TOO_LARGE: unknown = expect.objectContaining({
  code: 'PAYLOAD_TOO_LARGE',
  message: TOO_LARGE_BODY,
});
const notValid = (encoding: string): unknown =>
  expect.objectContaining({
    code: 'BAD_USER_INPUT',
    message: `The body cannot be decompressed as ${encoding}`,
  });

const COMPRESSED = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const;

/** What comes of a chunked body. */
async function post(body: string | Uint8Array, headers: Record<string, string> = {}) {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const outgoing = send({ port, method: 'POST', agent: false });
  for (const [name, value] of Object.entries({ 'Content-Type': 'application/json', ...headers })) {
    outgoing.setHeader(name, value);
  }
  const response = new Promise((resolve, reject) => {
    outgoing.once('error', reject).once('response', (incoming) => {
      resolve(json(incoming));
    });
  });
  outgoing.flushHeaders();
  outgoing.end(body);
  return response;
}

const objectOf = (bytes: number): Buffer => Buffer.from(`{"a":"${'x'.repeat(bytes - 8)}"}`);

test.each([['identity', (body: Buffer) => body] as const, ...COMPRESSED])(
  'a body in %s may have 100 kB, and no byte more',
  async (encoding, compress) => {
    const headers = { 'Content-Encoding': encoding };
    expect(await post(compress(objectOf(100_000)), headers)).toEqual(READ);
    expect(await post(compress(objectOf(100_001)), headers)).toEqual(TOO_LARGE);
  },
);

test.each(COMPRESSED)('a body in %s has to be whole, and no bomb', async (encoding, compress) => {
  const headers = { 'Content-Encoding': encoding };
  const bomb = compress(Buffer.alloc(20_000_000, ' '));
  expect(await post(bomb, headers)).toEqual(TOO_LARGE);
  const truncated = compress(objectOf(100)).subarray(0, -5);
  expect(await post(truncated, headers)).toEqual(notValid(encoding));
  expect(await post('', headers)).toEqual(notValid(encoding));
});

/** A zstd frame header (RFC 8878, 3.1.1.1) without the content's size, and one raw block, which is the last. */
function frame(windowLog: number, content: string): Buffer {
  const window = (windowLog - 10) << 3;
  const header = Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, window, (content.length << 3) | 1, 0, 0);
  return Buffer.concat([header, Buffer.from(content)]);
}

test('a body in zstd may have a window of 8 MiB, and no larger one', async () => {
  const headers = { 'Content-Encoding': 'zstd' };
  expect(await post(frame(23, '{"a":1}'), headers)).toEqual(READ);
  expect(await post(frame(24, '{"a":1}'), headers)).toEqual(notValid('zstd'));
  expect(await post(frame(27, '{"a":1}'), headers)).toEqual(notValid('zstd'));
});

test('a body in zstd is decoded by a window of 128 KiB, whatever it declares', async () => {
  const headers = { 'Content-Encoding': 'zstd' };
  expect(withSmallWindow(frame(23, '{"a":1}'))).toEqual(frame(17, '{"a":1}'));
  // Eight bytes of the size of the content, 8 MiB, in place of a window, and no content.
  const sized = Buffer.from('28b52ffde00000800000000000', 'hex');
  expect(await post(sized, headers)).toEqual(TOO_LARGE);
  // Without its size, and with references from its end to its begin.
  const half = randomBytes(24_990).toString('hex');
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 23 } });
  compress.write(`{"a":"${half}`);
  compress.end(`${half}"}`);
  const body = await buffer(compress);
  expect(body.length).toBeLessThan(half.length);
  expect(withSmallWindow(body)).not.toEqual(body);
  expect(await post(body, headers)).toEqual(READ);
});

test.each([
  ['Content-Encoding', ''],
  ['Content-Encoding', 'IDENTITY'],
  ['Content-Type', 'application/json; charset=""'],
  ['Content-Type', 'application/json;charset="UTF-8"'],
  ['Content-Type', 'application/json; profile="x;charset=latin1"'],
])('a body with the header %s: %s is read', async (name, value) => {
  expect(await post('{"a":1}', { [name]: value })).toEqual(READ);
});

test.each([
  ['Content-Encoding', 'compress', 'compress'],
  ['Content-Encoding', 'gzip, br', 'none of these'],
  ['Content-Type', 'application/json; charset=latin1', 'application/json; charset=latin1'],
  ['Content-Type', 'application/json; charset="a b"', 'application/json; charset=none of these'],
  ['Content-Type', 'Text/Plain; charset=utf-16', 'text/plain'],
  ['Content-Type', 'asg_0123/x', 'none of these'],
  ['Content-Type', `text/${'a'.repeat(41)}`, 'none of these'],
  ['Content-Type', '', 'missing'],
])('a body with the header %s: %s is rejected, and told to be %s', async (name, value, told) => {
  expect(await post('{"a":1}', { [name]: value })).toMatchObject({
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: `The body must be application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd; its ${name} is ${told}`,
  });
});
