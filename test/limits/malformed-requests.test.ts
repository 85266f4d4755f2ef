import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import type { WireAnswer } from '../support/http-answers.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const gateway = await startGateway();
const KEY = `Authorization: Bearer ${gateway.key}`;
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';
const POST = head('POST /v1/pets', KEY, JSON_TYPE, CHUNKED);
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** The status, the code and the message of a refusal. */
type Told = readonly [status: number, code: string, message: string];

const NO_HTTP: Told = [400, 'BAD_USER_INPUT', 'The request is not well-formed HTTP/1.1'];
const NO_HOST: Told = [400, 'BAD_USER_INPUT', 'The request must have one valid Host header'];
const LARGE_HEAD: Told = [
  431,
  'HEADERS_TOO_LARGE',
  'There are more than 100 headers, or the URL and the headers together are larger than 16384 bytes',
];
const NO_PROXY: Told = [405, 'METHOD_NOT_ALLOWED', 'This service is not a proxy'];
const LONG_URL: Told = [414, 'URI_TOO_LONG', 'The URL is longer than 8000 characters'];
const LARGE_EXTENSIONS: Told = [
  413,
  'PAYLOAD_TOO_LARGE',
  'The chunk extensions of the body are too large',
];

const form = ({ status, body }: WireAnswer) => [status, body.toString()];

test.each<[string, string, Told]>([
  ['that is TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', NO_HTTP],
  ['that is a word', 'HELO\r\n\r\n', NO_HTTP],
  ['whose method is followed by a tab', 'GET\t/v1/pets HTTP/1.1\r\n\r\n', NO_HTTP],
  ['of HTTP/9.9', 'GET /v1/pets HTTP/9.9\r\nHost: store\r\n\r\n', NO_HTTP],
  ['with a header without a name', head('GET /v1/pets', ': value'), NO_HTTP],
  ['with a header without a colon', head('GET /v1/pets', 'value'), NO_HTTP],
  ['with a space before the colon', head('GET /v1/pets', 'Authorization : x'), NO_HTTP],
  ['with a NUL in a header', head('GET /v1/pets', 'X-Any: \0'), NO_HTTP],
  ['with a carriage return in a header', head('GET /v1/pets', 'X-Any: a\rb'), NO_HTTP],
  ['with a folded header', head('GET /v1/pets', 'X-Any: a', ' b'), NO_HTTP],
  ['with two lengths', head('POST /v1/pets', 'Content-Length: 1', 'Content-Length: 2'), NO_HTTP],
  ['with a negative length', head('POST /v1/pets', 'Content-Length: -1'), NO_HTTP],
  ['with a length of 2^64', head('POST /v1/pets', `Content-Length: ${2n ** 64n}`), NO_HTTP],
  ['with a length and chunks', head('POST /v1/pets', 'Content-Length: 1', CHUNKED), NO_HTTP],
  ['chunked twice over', head('POST /v1/pets', `${CHUNKED}, chunked`), NO_HTTP],
  ['chunked and then compressed', head('POST /v1/pets', `${CHUNKED}, gzip`), NO_HTTP],
  [
    'with 2000 headers',
    head('GET /v1/pets', ...Array.from({ length: 2000 }, () => 'X:')),
    LARGE_HEAD,
  ],
  ['with a header of 16 KiB', head('GET /v1/pets', `X-Any: ${'a'.repeat(16_384)}`), LARGE_HEAD],
  ['with a key of 16 KiB', head('GET /v1/pets', `${KEY}${'a'.repeat(16_384)}`), LARGE_HEAD],
  ['with a URL of 16 KiB', head(`GET /${'a'.repeat(16_384)}`), LARGE_HEAD],
  ['with a megabyte of headers', head('GET /', 'X-Any: a'.padEnd(1_000_000, 'a')), LARGE_HEAD],
])('a request %s is told so, as the last on its connection', async (_what, bytes, expected) => {
  const connection = await rawConnection(gateway.url);
  connection.send(Buffer.from(bytes, 'latin1'));
  const [answer, ...others] = await connection.last();
  expect(others).toEqual([]);
  expect([answer?.status, answer?.body.toString()]).toEqual([expected[0], errorBody(...expected)]);
  expect(Object.fromEntries(answer?.headers ?? [])).toEqual({
    connection: 'close',
    'cache-control': 'private, no-cache',
    'content-length': String(answer?.body.length),
    'content-type': 'application/json; charset=utf-8',
    date: expect.stringMatching(/ GMT$/) as unknown,
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(UUID) as unknown,
  });
});

test.each<[string, string, Told]>([
  ['no Host', 'GET /v1/pets HTTP/1.1\r\n\r\n', NO_HOST],
  ['a Host with a space', 'GET /v1/pets HTTP/1.1\r\nHost: a b\r\n\r\n', NO_HOST],
  ['a Host with a path', 'GET /v1/pets HTTP/1.1\r\nHost: a/b\r\n\r\n', NO_HOST],
  ['two Hosts', head('GET /v1/pets', 'Host: store'), NO_HOST],
  [
    '101 headers',
    head('GET /v1/pets', ...Array.from({ length: 100 }, (_, index) => `X-${index}: x`)),
    LARGE_HEAD,
  ],
  ['a URL of 8001 characters', head(`GET ${'/v1/pets?'.padEnd(8001, 'a')}`), LONG_URL],
])('a request with %s is refused, and the next one answered', async (_what, bytes, expected) => {
  const connection = await rawConnection(gateway.url);
  connection.send(bytes + head('GET /nowhere'));
  const [answer, next] = await connection.answers(2);
  expect(answer && form(answer)).toEqual([expected[0], errorBody(...expected)]);
  expect(answer?.headers.get('x-request-id')).toMatch(UUID);
  expect(next?.status).toBe(404);
});

test.each([
  ['99 headers beside Host', head('GET /nowhere', ...Array.from({ length: 99 }, () => 'X: x'))],
  ['a URL of 8000 characters', head(`GET ${'/nowhere?'.padEnd(8000, 'a')}`)],
  ['no Host, by HTTP/1.0', 'GET /nowhere HTTP/1.0\r\n\r\n'],
  ['an expectation of nobody knows what', head('GET /nowhere', 'Expect: something')],
  ['an offer of WebSocket', head('GET /nowhere', 'Connection: Upgrade', 'Upgrade: websocket')],
  ['an offer of HTTP/2', head('GET /nowhere', 'Connection: Upgrade', 'Upgrade: h2c')],
])('a request with %s is looked at', async (_what, bytes) => {
  const connection = await rawConnection(gateway.url);
  connection.send(bytes);
  const answers = await connection.answers(1);
  expect(answers.map(({ status }) => status)).toEqual([404]);
});

test('GraphQL tells in its own shape that a URL is too long', async () => {
  const connection = await rawConnection(gateway.url);
  for (const target of [
    '/graphql?query=',
    'http://store/graphql?query=',
    'HTTP://s/graphql?query=',
  ]) {
    connection.send(head(`GET ${target.padEnd(8001, 'a')}`));
    const answers = await connection.answers(1);
    expect(answers.map(form)).toEqual([[414, graphqlErrorBody(...LONG_URL)]]);
  }
});

test.each([
  ['a good one and another', `Bearer ${gateway.key}`, 'Bearer another'],
  ['another and a good one', 'Bearer another', `Bearer ${gateway.key}`],
  ['the same one twice', `Bearer ${gateway.key}`, `Bearer ${gateway.key}`],
])('of two keys, %s, none is looked at', async (_what, ...keys) => {
  const connection = await rawConnection(gateway.url);
  connection.send(head('GET /v1/pets', ...keys.map((key) => `Authorization: ${key}`)));
  const [answer] = await connection.answers(1);
  expect(answer?.status).toBe(401);
});

test.each<[string, string, Told]>([
  ['whose size is no number', 'g\r\n', NO_HTTP],
  ['that is longer than its size', '1\r\nab\r\n', NO_HTTP],
  ['with extensions of 16 KiB', `1;${'a'.repeat(17_000)}\r\n`, LARGE_EXTENSIONS],
])('a chunk %s is the fault of its request, which is told so', async (_what, chunk, expected) => {
  const connection = await rawConnection(gateway.url);
  connection.send(POST.replace('Host', 'X-Request-Id: mine\r\nHost'));
  connection.send(chunk);
  const answers = await connection.last();
  expect(answers.map(form)).toEqual([[expected[0], errorBody(...expected)]]);
  expect(answers[0]?.headers.get('x-request-id')).toBe('mine');
  expect(answers[0]?.headers.get('connection')).toBe('close');
});

test.each<[string, string, Told]>([
  ['what is malformed', '\0'.repeat(9), NO_HTTP],
  ['CONNECT', head('CONNECT other.example:443'), NO_PROXY],
])('what was asked for before is answered before %s', async (what, bytes, expected) => {
  const connection = await rawConnection(gateway.url);
  const name = `Before ${what}`;
  const body = JSON.stringify({ name, categoryId: 1 });
  const length = `Content-Length: ${body.length}`;
  connection.send(head('POST /v1/pets', KEY, JSON_TYPE, length) + body + bytes);
  const [first, second] = await connection.last();
  expect(first?.status).toBe(201);
  expect(second && form(second)).toEqual([expected[0], errorBody(...expected)]);
  expect(await gateway.database.pet.count({ where: { name } })).toBe(1);
});

test('what follows a fault is not looked at', async () => {
  const connection = await rawConnection(gateway.url);
  connection.send('\0');
  connection.send(head('GET /livez'));
  connection.send('\0');
  expect((await connection.last()).map(({ status }) => status)).toEqual([400]);
});

test('a client that is still sending when it is refused is not reset', async () => {
  const { socket, send, answers } = await rawConnection(gateway.url);
  send(head('GET /', 'X-Any: a'.padEnd(100_000, 'a')));
  await answers(1);
  const closed = new Promise<boolean>((resolve) => socket.once('close', resolve));
  for (let packet = 0; packet < 5; packet += 1) {
    send('a');
    // The gateway runs in this process: it reads them one by one.
    await turnOfLoop();
    await turnOfLoop();
  }
  socket.end();
  const hadError = await closed;
  expect(hadError).toBe(false);
});

test('CONNECT is refused, and its connection ended', async () => {
  const connection = await rawConnection(gateway.url);
  connection.send(head('CONNECT other.example:443', 'Content-Length: 5'));
  const answers = await connection.last();
  expect(answers.map(form)).toEqual([[405, errorBody(...NO_PROXY)]]);
  expect(answers[0]?.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
});

test('a client that begins with HTTP/2 is not kept waiting', async () => {
  const connection = await rawConnection(gateway.url);
  connection.send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  expect((await connection.last()).filter(({ status }) => status < 400)).toEqual([]);
});

test.each(['store:4000', '[::1]:4000', '127.0.0.1', ''])('a Host of %j is one', async (host) => {
  const connection = await rawConnection(gateway.url);
  connection.send(`GET /nowhere HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const [answer] = await connection.answers(1);
  expect(answer?.status).toBe(404);
});

test.each(['/readyz', '/livez', 'http://store/readyz'])(
  'a body that is malformed, where %s takes none, is refused or passed over, and harms nobody',
  async (target) => {
    for (let turn = 0; turn < 5; turn += 1) {
      const connection = await rawConnection(gateway.url);
      connection.send(`${head(`GET ${target}`, CHUNKED)}ZZ\r\n`);
      const [answer] = await connection.last();
      expect([200, 400]).toContain(answer?.status);
    }
    expect((await gateway.request('/readyz')).status).toBe(200);
  },
);
