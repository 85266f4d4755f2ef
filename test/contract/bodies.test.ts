import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import {
  brotliCompressSync,
  constants,
  createZstdCompress,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { expect, test } from 'vitest';
import { withSmallWindow } from '../../packages/http/src/message/request-body.ts';
import { restAnimal } from '../support/animals.ts';
import { errorBody, graphqlErrorBody, wrongBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';

/* Both APIs read the body of a POST in the same way. */

const gateway = await startGateway();

/** A body that creates an animal in both APIs, because each ignores the other's members. */
const BODY =
  '{"name":"Rex","categoryId":1,"query":"mutation { createPet(input: { name: \\"Rex\\", categoryId: 1 }) { name } }"}';
const CREATED = [
  [201, restAnimal({ id: 1 })],
  [200, '{"data":{"createPet":{"name":"Rex"}}}'],
];
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Sends a body to both APIs. Returns the status and text of each response. */
async function sendBoth(body?: NodeRequest['body'], headers: NodeRequest['headers'] = JSON_TYPE) {
  const request = { method: 'POST', headers, ...(body !== undefined && { body }) };
  const responses = [];
  for (const path of ['/v1/pets', '/graphql']) {
    const { status, text } = await nodeRequest(gateway, path, request);
    responses.push([status, text.replace(/(?<=^{"id":)\d+/, '1')]);
  }
  return responses;
}

/** Sends a body to both APIs. Returns their responses and the number of animals that they created. */
async function sendCounted(body: string | Uint8Array, headers: NodeRequest['headers']) {
  const before = await gateway.database.pet.count();
  const responses = await sendBoth(body, headers);
  return { responses, added: (await gateway.database.pet.count()) - before };
}

const sendJson = (body: string | Uint8Array, headers = {}) =>
  sendCounted(body, { ...JSON_TYPE, ...headers });

/** What `sendCounted` returns for a body that both APIs reject. */
const rejection = (...error: readonly [status: number, code: string, message: string]) => ({
  responses: [
    [error[0], errorBody(...error)],
    [error[0], graphqlErrorBody(...error)],
  ],
  added: 0,
});
const badInput = (message: string) => rejection(400, 'BAD_USER_INPUT', message);
const unsupported = (header: 'Content-Type' | 'Content-Encoding', reported?: string) =>
  rejection(415, 'UNSUPPORTED_MEDIA_TYPE', wrongBody(header, reported));
const TOO_LARGE = rejection(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 100000 bytes');

test.each([
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; charset=""',
  'application/json; profile=x',
  'application/json; profile="x;charset=latin1"',
])('both APIs read a body with the Content-Type %s', async (type) => {
  expect(await sendBoth(BODY, { 'Content-Type': type })).toEqual(CREATED);
});

test.each<[type: string | undefined, reported?: string]>([
  [undefined, 'missing'],
  ['text/plain'],
  ['text/json'],
  ['Text/Plain; charset=utf-16', 'text/plain'],
  ['application/x-www-form-urlencoded'],
  ['multipart/form-data; boundary=x', 'multipart/form-data'],
  ['application/problem+json'],
  ['application/graphql'],
  ['application/jsonp'],
  ['json', 'none of these'],
  ['*/*', 'none of these'],
  ['application/json, text/plain', 'none of these'],
  ['asg_0123/x', 'none of these'],
  [`text/${'a'.repeat(41)}`, 'none of these'],
  ['application/json; charset="a b"', 'application/json; charset=none of these'],
  ['', 'missing'],
  ...'latin1 iso-8859-1 us-ascii utf8 nonsense utf-16 utf-16le utf-32 utf-7'
    .split(' ')
    .map((charset): [string] => [`application/json; charset=${charset}`]),
])('both APIs return 415 for a body with the Content-Type "%s"', async (type, reported = type) => {
  const headers = type === undefined ? {} : { 'Content-Type': type };
  expect(await sendCounted(BODY, headers)).toEqual(unsupported('Content-Type', reported));
});

type CompressedBody = [
  encoding: string,
  what: string,
  body: string | Buffer,
  framing?: Readonly<Record<string, string>>,
];

const asIs = (body: Buffer) => body;
const CODINGS = [
  ['identity', asIs],
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const;

test.each([...CODINGS, ['', asIs], ['IDENTITY', asIs], ['GZIP', gzipSync]] as const)(
  'both APIs read a body with the Content-Encoding "%s"',
  async (encoding, encode) => {
    const headers = { ...JSON_TYPE, 'Content-Encoding': encoding };
    expect(await sendBoth(encode(Buffer.from(BODY)), headers)).toEqual(CREATED);
  },
);

test.each([
  ['compress'],
  ['aes128gcm'],
  ['utf-8'],
  ['gzip, gzip', 'none of these'],
  ['gzip, br', 'none of these'],
])(
  'both APIs return 415 for a body with the Content-Encoding "%s"',
  async (encoding, reported = encoding) => {
    expect(await sendJson(BODY, { 'Content-Encoding': encoding })).toEqual(
      unsupported('Content-Encoding', reported),
    );
  },
);

test.each<CompressedBody>([
  ...CODINGS.slice(1).flatMap(([encoding, compress]): CompressedBody[] => [
    [encoding, 'not compressed', BODY],
    [encoding, 'truncated', compress(Buffer.from(BODY)).subarray(0, -5)],
    [encoding, 'empty', '', { 'Transfer-Encoding': 'chunked' }],
  ]),
  [
    'gzip',
    'compressed with a wrong checksum',
    Buffer.concat([gzipSync(BODY).subarray(0, -8), Buffer.alloc(8)]),
  ],
])(
  'with the Content-Encoding %s, a body that is %s returns 400',
  async (encoding, _what, body, framing = {}) => {
    expect(await sendJson(body, { 'Content-Encoding': encoding, ...framing })).toEqual(
      badInput(`The body cannot be decompressed as ${encoding}`),
    );
  },
);

test.each(
  CODINGS.flatMap(([encoding, encode]) =>
    [{}, { 'Transfer-Encoding': 'chunked' }].map((framing) => ({ encoding, encode, framing })),
  ),
)(
  'a body in $encoding with $framing may have up to 100,000 bytes',
  async ({ encoding, encode, framing }) => {
    const headers = { 'Content-Encoding': encoding, ...framing };
    const largest = encode(Buffer.from(BODY.padEnd(100_000)));
    expect(await sendBoth(largest, { ...JSON_TYPE, ...headers })).toEqual(CREATED);
    for (const body of [BODY.padEnd(100_001), `{"x":"${'é'.repeat(50_000)}",${BODY.slice(1)}`]) {
      expect(await sendJson(encode(Buffer.from(body)), headers)).toEqual(TOO_LARGE);
    }
  },
);

test.each(CODINGS.slice(1))(
  'both APIs return 413 for a decompression bomb in %s',
  async (encoding, encode) => {
    const bomb = encode(Buffer.from(BODY.padEnd(20_000_000)));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await sendJson(bomb, { 'Content-Encoding': encoding })).toEqual(TOO_LARGE);
  },
);

/** Returns a zstd frame (RFC 8878, 3.1.1.1) whose header has no content size, with one raw block. */
function zstdFrame(windowLog: number, content = BODY): Buffer {
  const header = Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3, 0, 0, 0);
  header.writeUIntLE((content.length << 3) | 1, 6, 3);
  return Buffer.concat([header, Buffer.from(content)]);
}

const ZSTD = { ...JSON_TYPE, 'Content-Encoding': 'zstd' };

test('a zstd body may declare a window of at most 8 MiB', async () => {
  expect(await sendBoth(zstdFrame(23), ZSTD)).toEqual(CREATED);
  for (const windowLog of [24, 27]) {
    expect(await sendJson(zstdFrame(windowLog), ZSTD)).toEqual(
      badInput('The body cannot be decompressed as zstd'),
    );
  }
});

test('a zstd body is decoded with a window of 128 KiB, whichever window it declares', async () => {
  expect(withSmallWindow(zstdFrame(23))).toEqual(zstdFrame(17));
  // The header has the content size, 8 MiB, in eight bytes in place of a window, and there is no content.
  expect(await sendJson(Buffer.from('28b52ffde00000800000000000', 'hex'), ZSTD)).toEqual(TOO_LARGE);
  // A frame without the content size, whose end refers to its beginning.
  const half = randomBytes(24_900).toString('hex');
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 23 } });
  compress.write(`{"a":"${half}`);
  compress.end(`${half}",${BODY.slice(1)}`);
  const body = await buffer(compress);
  expect(body.length).toBeLessThan(half.length);
  expect(withSmallWindow(body)).not.toEqual(body);
  expect(await sendBoth(body, ZSTD)).toEqual(CREATED);
});

// packages/ops/test/json.test.ts compares the JSON parser with JSON.parse.
test.each<[body: string, place: string, encoding?: BufferEncoding]>([
  ['name=Rex', 'line 1, column 1'],
  [' ', 'line 1, column 2'],
  [`${BODY}\n${BODY}`, 'line 2, column 1'],
  ['{"name":"Rex","categoryId":+1}', 'line 1, column 28'],
  [BODY, 'line 1, column 2', 'utf16le'],
])('both APIs return 400 for the body %j because it is not JSON', async (text, place, encoding) => {
  const body = Buffer.from(text, encoding);
  expect(await sendJson(body)).toEqual(badInput(`The body is not valid JSON at ${place}`));
});

test.each(['null', '5', '9223372036854775807', 'true', '"Rex"', '[]', `[${BODY},${BODY}]`])(
  'both APIs return 400 for the body %s because it is not an object',
  async (body) => {
    expect(await sendJson(body)).toEqual(badInput('The body must be a JSON object'));
  },
);

test.each<[string, string | undefined, NodeRequest['headers']]>([
  ['no body', undefined, {}],
  ['a type but no body', undefined, { 'Content-Type': 'text/plain' }],
  ['an empty body', '', {}],
  ['an empty body with a type', '', { 'Content-Type': 'text/plain' }],
  ['an empty JSON body', '', JSON_TYPE],
  ['an empty JSON body in chunks', '', { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }],
  ['an object whose members are in __proto__', `{"__proto__":${BODY}}`, JSON_TYPE],
])(
  'a request with %s gets the same response as one with an empty object',
  async (_what, body, headers) => {
    const empty = await sendBoth('{}');
    expect(empty.map(([status]) => status)).toEqual([400, 400]);
    expect(await sendBoth(body, headers)).toEqual(empty);
  },
);

test.each([
  ['a Latin-1 letter', [0xe9]],
  ['a lone continuation byte', [0x80]],
  ['a truncated character', [0xf0, 0x9f, 0x90]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a pair of surrogates', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
  ['a code point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
])('both APIs return 400 for a body with %s because it is not UTF-8', async (_what, bytes) => {
  const [before = '', after = ''] = BODY.split(/Rex(.*)/s);
  const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
  expect(await sendJson(body)).toEqual(badInput('The body is not valid UTF-8'));
  expect(await sendJson(gzipSync(body), { 'Content-Encoding': 'gzip' })).toEqual(
    badInput('The body is not valid UTF-8'),
  );
});

test('both APIs skip a byte order mark at the start of the body', async () => {
  expect(await sendBoth(Buffer.from(`\ufeff${BODY}`))).toEqual(CREATED);
});

test('both APIs return 400 for a body that is nested too deeply', async () => {
  const deep = `${BODY.slice(0, -1)},"x":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
  expect(await sendJson(deep)).toEqual(badInput('The body is nested too deeply'));
});

test.each([
  [
    'an unsupported encoding',
    { ...JSON_TYPE, 'Content-Encoding': 'compress' },
    'gzip, deflate, br, zstd',
  ],
  ['an unsupported type', { 'Content-Type': 'text/plain' }, null],
])('a 415 for %s has the Accept-Encoding %j', async (_what, headers, encodings) => {
  for (const path of ['/v1/pets', '/graphql']) {
    const request = { method: 'POST', headers, body: BODY };
    const response = await nodeRequest(gateway, path, request);
    expect([response.status, response.headers.get('Accept-Encoding')]).toEqual([415, encodings]);
  }
});
