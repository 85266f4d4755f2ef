import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';
import { wrongBody } from '../support/wrong-body.ts';

const REX = '{"name":"Rex","categoryId":1}';

const gateway = await startGateway();

/** Posts to the animals, as JSON unless told otherwise. */
const send = async (body: string | Uint8Array, headers = {}) => {
  const { status, text } = await nodeRequest(gateway, '/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
  return [status, text.replace(/(?<="id":)\d+/, '1')];
};

const CREATED = [201, restAnimal({ id: 1 })];
function wrongType(...header: Parameters<typeof wrongBody>) {
  return [415, errorBody(415, 'UNSUPPORTED_MEDIA_TYPE', wrongBody(...header))];
}

const NO_JSON = [
  400,
  errorBody(400, 'BAD_USER_INPUT', 'The body is not valid JSON, or nested too deeply'),
];
const NO_UTF8 = [400, errorBody(400, 'BAD_USER_INPUT', 'The body is not valid UTF-8')];
const TOO_LARGE = [
  413,
  errorBody(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 100000 bytes'),
];

test.each([
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; profile=x',
])('a body of %s is taken', async (type) => {
  expect(await send(REX, { 'Content-Type': type })).toEqual(CREATED);
});

test.each([
  ['text/plain'],
  ['text/json'],
  ['application/x-www-form-urlencoded'],
  ['multipart/form-data; boundary=x', 'multipart/form-data'],
  ['application/problem+json'],
  ['application/graphql'],
  ['application/jsonp'],
  ['json', 'another'],
  ['*/*', 'another'],
  ['application/json, text/plain', 'another'],
  ['', 'missing'],
])('a body of "%s" is 415', async (type, told = type) => {
  expect(await send(REX, { 'Content-Type': type })).toEqual(wrongType('Content-Type', told));
});

test('a body of no type is 415', async () => {
  const { status, text } = await nodeRequest(gateway, '/v1/pets', {
    method: 'POST',
    body: REX,
  });
  expect([status, text]).toEqual(wrongType('Content-Type'));
});

test.each(['latin1', 'iso-8859-1', 'us-ascii', 'utf8', 'nonsense'])(
  'a body in the charset %s is 415',
  async (charset) => {
    const type = `application/json; charset=${charset}`;
    expect(await send(REX, { 'Content-Type': type })).toEqual(
      wrongType('Content-Type', type || undefined),
    );
  },
);

test.each(['utf-16', 'utf-16le', 'utf-32', 'utf-7'])(
  'a body in the charset %s is 415: it is another UTF',
  async (charset) => {
    const type = `application/json; charset=${charset}`;
    expect(await send(REX, { 'Content-Type': type })).toEqual(
      wrongType('Content-Type', type || undefined),
    );
  },
);

test.each([
  '{',
  '}',
  REX.slice(0, -1),
  `${REX},`,
  `${REX}${REX}`,
  ' ',
  '{"name":"a\nb"}',
  ...`Rex undefined NaN {'name':'Rex'} {"name":"Rex",} {"name":"Rex"/**/} name=Rex`.split(' '),
  ...'{"categoryId":01} {"categoryId":+1} {"categoryId":0x1} {"categoryId":1.}'.split(' '),
  ...'{"categoryId":NaN} {"name":"\\x41"} {"name":"\\u12"}'.split(' '),
])('the body %j is 400: it is not JSON', async (body) => {
  expect(await send(body)).toEqual(NO_JSON);
});

test.each([
  ['no body', undefined, {}],
  ['no body of a type', undefined, { 'Content-Type': 'text/plain' }],
  ['an empty body', '', {}],
  ['an empty body of a type', '', { 'Content-Type': 'text/plain' }],
  ['an empty JSON body', '', { 'Content-Type': 'application/json' }],
  [
    'an empty JSON body in chunks',
    '',
    { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
  ],
])('%s is an object without members', async (_what, body, headers) => {
  const { status, text } = await nodeRequest(gateway, '/v1/pets', {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const message =
    'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates; ' +
    'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';
  expect([status, text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
});

test.each([
  ['a Latin-1 letter', [0xe9]],
  ['a lone continuation byte', [0x80]],
  ['a truncated character', [0xf0, 0x9f, 0x90]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a pair of surrogates', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
  ['a code point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
])('a body with %s in its bytes is 400: it is not UTF-8', async (_what, bytes) => {
  const [before, after] = REX.split('Rex');
  const body = Buffer.concat([
    Buffer.from(before ?? ''),
    Buffer.from(bytes),
    Buffer.from(after ?? ''),
  ]);
  expect(await send(body)).toEqual(NO_UTF8);
  const gzipped = gzipSync(body);
  expect(await send(gzipped, { 'Content-Encoding': 'gzip' })).toEqual(NO_UTF8);
});

test('a body in UTF-16 is no JSON', async () => {
  expect(await send(Buffer.from(REX, 'utf16le'))).toEqual(NO_JSON);
});

test('a byte order mark before the body is passed over', async () => {
  expect(await send(Buffer.from(`\ufeff${REX}`))).toEqual(CREATED);
});

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
    expect(await send(REX, { 'Content-Encoding': encoding })).toEqual(
      wrongType('Content-Encoding', encoding.includes(',') ? 'another' : encoding),
    );
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
  expect(await send(body, { 'Content-Encoding': encoding })).toEqual(NO_JSON);
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

test('JSON that is nested too deeply to read is refused as such', async () => {
  const deep = `{"name":"Rex","categoryId":1,"x":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
  expect(await send(deep)).toEqual(NO_JSON);
});
