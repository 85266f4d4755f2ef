import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { bodySender, CREATED, REX } from '../support/send-body.ts';
import { wrongBody } from '../support/wrong-body.ts';

const send = bodySender(await startGateway());

const TOO_LARGE = [
  413,
  errorBody(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 100000 bytes'),
];

test.each([
  ['identity', Buffer.from(REX)],
  ['', Buffer.from(REX)],
  ['gzip', gzipSync(REX)],
  ['GZIP', gzipSync(REX)],
  ['br', brotliCompressSync(REX)],
  ['deflate', deflateSync(REX)],
])('a body in Content-Encoding: %j is taken', async (encoding, body) => {
  expect(await send(body, { 'Content-Encoding': encoding })).toEqual(CREATED);
});

test.each(['compress', 'aes128gcm', 'gzip, gzip', 'utf-8'])(
  'a body in Content-Encoding: %s is 415',
  async (encoding) => {
    const told = encoding.includes(',') ? 'none of these' : encoding;
    const message = wrongBody('Content-Encoding', told);
    expect(await send(REX, { 'Content-Encoding': encoding })).toEqual([
      415,
      errorBody(415, 'UNSUPPORTED_MEDIA_TYPE', message),
    ]);
  },
);

test.each([
  ['gzip', 'that is not compressed', Buffer.from(REX)],
  ['gzip', 'that is cut short', gzipSync(REX).subarray(0, -9)],
  [
    'gzip',
    'with a wrong checksum and length',
    Buffer.concat([gzipSync(REX).subarray(0, -8), Buffer.alloc(8)]),
  ],
  ['br', 'that is not compressed', Buffer.from(REX)],
  ['deflate', 'that is cut short', deflateSync(REX).subarray(0, -5)],
])('a body in Content-Encoding: %s %s is 400', async (encoding, _what, body) => {
  expect(await send(body, { 'Content-Encoding': encoding })).toEqual([
    400,
    errorBody(400, 'BAD_USER_INPUT', `The body cannot be decompressed as ${encoding}`),
  ]);
});

test.each([
  ['with its length', 'identity', {}],
  ['in chunks', 'identity', { 'Transfer-Encoding': 'chunked' }],
  ['with its length', 'gzip', {}],
  ['in chunks', 'gzip', { 'Transfer-Encoding': 'chunked' }],
])('a body %s in %s may have 100,000 bytes, and no more', async (_what, encoding, framing) => {
  const headers = { 'Content-Encoding': encoding, ...framing };
  const encode = (body: string) => (encoding === 'gzip' ? gzipSync(body) : body);
  expect(await send(encode(REX.padEnd(100_000)), headers)).toEqual(CREATED);
  expect(await send(encode(REX.padEnd(100_001)), headers)).toEqual(TOO_LARGE);
});

test('characters of more than one byte count as such towards the 100,000 bytes', async () => {
  const body = `{"colour":"${'é'.repeat(50_000)}",${REX.slice(1)}`;
  expect(await send(Buffer.from(body))).toEqual(TOO_LARGE);
});

test('a gzip bomb is 413', async () => {
  const bomb = gzipSync(REX.padEnd(50_000_000));
  expect(bomb.length).toBeLessThan(100_000);
  expect(await send(bomb, { 'Content-Encoding': 'gzip' })).toEqual(TOO_LARGE);
});
