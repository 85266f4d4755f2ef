import { expect, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import type { WireAnswer } from '../support/http-answers.ts';
import { head, rawConnection, isResetBySending } from '../support/raw-connection.ts';

const gateway = await startGateway();
const log = captureLog();
const KEY = `Authorization: Bearer ${gateway.key}`;
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';
const LAST = 'Connection: close';
const PROBE = head('GET /livez');
const POST = head('POST /v1/pets', KEY, JSON_TYPE, CHUNKED);
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** The status, code and message of an error. */
type Rejection = readonly [status: number, code: string, message: string];

const NO_HTTP: Rejection = [400, 'BAD_USER_INPUT', 'The request is not well-formed HTTP/1.1'];
const NO_HOST: Rejection = [400, 'BAD_USER_INPUT', 'The request must have one valid Host header'];
const LARGE_HEAD: Rejection = [
  431,
  'HEADERS_TOO_LARGE',
  'There are more than 100 headers, or the URL and the headers together are larger than 16384 bytes',
];
const NO_PROXY: Rejection = [405, 'METHOD_NOT_ALLOWED', 'This service is not a proxy'];
const LONG_URL: Rejection = [414, 'URI_TOO_LONG', 'The URL is longer than 8000 characters'];
const LARGE_EXTENSIONS: Rejection = [
  413,
  'PAYLOAD_TOO_LARGE',
  'The chunk extensions of the body are too large',
];

const UNKNOWN_METHOD: Rejection = [
  501,
  'NOT_IMPLEMENTED',
  'No address of this service supports this method',
];

const form = ({ status, body }: WireAnswer) => [status, body.toString()];

/** Sends bytes on a new connection; returns the first responses, or all responses until the service closes it. */
async function exchange(bytes: string, count?: number): Promise<readonly WireAnswer[]> {
  const connection = await rawConnection(gateway.url);
  connection.send(Buffer.from(bytes, 'latin1'));
  return count === undefined ? connection.last() : connection.answers(count);
}

test.each<[string, string, Rejection]>([
  ['that is TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', NO_HTTP],
  ['that is a word', 'HELO\r\n\r\n', NO_HTTP],
  ['whose method is followed by a tab', 'GET\t/v1/pets HTTP/1.1\r\n\r\n', NO_HTTP],
  ['with the version HTTP/9.9', 'GET /v1/pets HTTP/9.9\r\nHost: store\r\n\r\n', NO_HTTP],
  ['with a header without a name', head('GET /v1/pets', ': value'), NO_HTTP],
  ['with a header without a colon', head('GET /v1/pets', 'value'), NO_HTTP],
  ['with a space before the colon', head('GET /v1/pets', 'Authorization : x'), NO_HTTP],
  ['with a NUL in a header', head('GET /v1/pets', 'X-Any: \0'), NO_HTTP],
  ['with a carriage return in a header', head('GET /v1/pets', 'X-Any: a\rb'), NO_HTTP],
  ['with a folded header', head('GET /v1/pets', 'X-Any: a', ' b'), NO_HTTP],
  [
    'with two Content-Lengths',
    head('POST /v1/pets', 'Content-Length: 1', 'Content-Length: 2'),
    NO_HTTP,
  ],
  ['with a negative Content-Length', head('POST /v1/pets', 'Content-Length: -1'), NO_HTTP],
  ['with a Content-Length of 2^64', head('POST /v1/pets', `Content-Length: ${2n ** 64n}`), NO_HTTP],
  [
    'with a Content-Length and chunks',
    head('POST /v1/pets', 'Content-Length: 1', CHUNKED),
    NO_HTTP,
  ],
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
  ['with the version HTTP/2.0', 'GET /v1/pets HTTP/2.0\r\nHost: store\r\n\r\n', NO_HTTP],
  ['with the version HTTP/0.9', 'GET /v1/pets HTTP/0.9\r\nHost: store\r\n\r\n', NO_HTTP],
  ['with the version HTTP/2.0 for a probe', 'GET /livez HTTP/2.0\r\nHost: store\r\n\r\n', NO_HTTP],
  [
    'compressed and then chunked',
    head('POST /v1/pets', 'Transfer-Encoding: gzip, chunked'),
    NO_HTTP,
  ],
  [
    'with two Transfer-Encodings',
    head('POST /v1/pets', 'Transfer-Encoding: identity', CHUNKED),
    NO_HTTP,
  ],
  ['with an unknown method', head('FETCH /v1/pets'), UNKNOWN_METHOD],
  ['with an unknown method and without a version', 'FETCH /v1/pets\r\n\r\n', NO_HTTP],
  ['that is only an unknown method', 'FETCH', NO_HTTP],
  ['that starts HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', NO_HTTP],
  ['that is JSON', '{"a":1} / HTTP/1.1\r\n\r\n', NO_HTTP],
  ['with the method CONNECT', head('CONNECT other.example:443', 'Content-Length: 5'), NO_PROXY],
])('a request %s is rejected, and its connection is closed', async (_what, bytes, expected) => {
  const [answer, ...others] = await exchange(bytes + (expected === UNKNOWN_METHOD ? PROBE : ''));
  expect(others).toEqual([]);
  expect(answer && form(answer)).toEqual([expected[0], errorBody(...expected)]);
});

test.each([
  ['\0', null],
  [head('GET /', 'X-Any: a'.padEnd(20_000, 'a')), null],
  [head('CONNECT other.example:443'), 'GET, HEAD, POST, OPTIONS'],
])('the response to %.20j has the usual error headers', async (bytes, allow) => {
  const [answer] = await exchange(bytes);
  expect(Object.fromEntries(answer?.headers ?? [])).toEqual({
    ...(allow !== null && { allow }),
    connection: 'close',
    'cache-control': 'private, no-cache',
    'content-length': String(answer?.body.length),
    'content-type': 'application/json; charset=utf-8',
    date: expect.stringMatching(/ GMT$/) as unknown,
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(UUID) as unknown,
  });
});

test.each<[string, string, Rejection]>([
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
])(
  'a request with %s is rejected, and the next one is answered',
  async (_what, bytes, expected) => {
    const [answer, next] = await exchange(bytes + head('GET /nowhere'), 2);
    expect(answer && form(answer)).toEqual([expected[0], errorBody(...expected)]);
    expect(answer?.headers.get('x-request-id')).toMatch(UUID);
    expect(next?.status).toBe(404);
  },
);

test.each([
  ['99 headers besides Host', head('GET /nowhere', ...Array.from({ length: 99 }, () => 'X: x'))],
  ['a URL of 8000 characters', head(`GET ${'/nowhere?'.padEnd(8000, 'a')}`)],
  ['no Host in HTTP/1.0', 'GET /nowhere HTTP/1.0\r\n\r\n'],
  ['an unknown expectation', head('GET /nowhere', 'Expect: something')],
  ['an upgrade to WebSocket', head('GET /nowhere', 'Connection: Upgrade', 'Upgrade: websocket')],
  ['an upgrade to HTTP/2', head('GET /nowhere', 'Connection: Upgrade', 'Upgrade: h2c')],
  ...['store:4000', '[::1]:4000', '127.0.0.1', ''].map((host) => [
    `the Host "${host}"`,
    `GET /nowhere HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  ]),
])('a request with %s is accepted', async (_what, bytes = '') => {
  expect((await exchange(bytes, 1)).map(({ status }) => status)).toEqual([404]);
});

test("a long URL for GraphQL is rejected in GraphQL's error format", async () => {
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

test.each<[string, string, Rejection]>([
  ['whose size is not a number', 'g\r\n', NO_HTTP],
  ['that is longer than its size', '1\r\nab\r\n', NO_HTTP],
  ['with extensions of 16 KiB', `1;${'a'.repeat(17_000)}\r\n`, LARGE_EXTENSIONS],
])('a request with a chunk %s is rejected', async (_what, chunk, expected) => {
  const connection = await rawConnection(gateway.url);
  connection.send(POST.replace('Host', 'X-Request-Id: mine\r\nHost'));
  connection.send(chunk);
  const answers = await connection.last();
  expect(answers.map(form)).toEqual([[expected[0], errorBody(...expected)]]);
  expect(answers[0]?.headers.get('x-request-id')).toBe('mine');
  expect(answers[0]?.headers.get('connection')).toBe('close');
});

test.each<[string, string, Rejection]>([
  ['malformed data', '\0'.repeat(9), NO_HTTP],
  ['CONNECT request', head('CONNECT other.example:443'), NO_PROXY],
])(
  'a request is answered before the %s that follows it is rejected',
  async (what, bytes, expected) => {
    const connection = await rawConnection(gateway.url);
    const name = `Before ${what}`;
    const body = JSON.stringify({ name, categoryId: 1 });
    const length = `Content-Length: ${body.length}`;
    connection.send(head('POST /v1/pets', KEY, JSON_TYPE, length) + body + bytes);
    const [first, second] = await connection.last();
    expect(first?.status).toBe(201);
    expect(second && form(second)).toEqual([expected[0], errorBody(...expected)]);
    expect(await gateway.database.pet.count({ where: { name } })).toBe(1);
  },
);

test.each(['/readyz', '/livez', 'http://store/readyz'])(
  'a malformed body for %s is rejected or ignored, and does not affect other requests',
  async (target) => {
    for (let turn = 0; turn < 5; turn += 1) {
      const [answer] = await exchange(`${head(`GET ${target}`, CHUNKED)}ZZ\r\n`);
      expect([200, 400]).toContain(answer?.status);
    }
    expect((await gateway.request('/readyz')).status).toBe(200);
  },
);

test.each<[string, string, number]>([
  ['a request with Connection: close', head('GET /nowhere', LAST), 404],
  [
    'a request with Connection: close and more data at once',
    `${head('GET /nowhere', LAST)}more`,
    404,
  ],
  ['a request without a version', 'GET /nowhere\r\n\r\n', 400],
  ['a request without a version and with more data at once', 'GET /nowhere\r\n\r\nmore', 400],
  ['an HTTP/1.0 request', 'GET /nowhere HTTP/1.0\r\n\r\n', 404],
  ['a malformed request', '\0', 400],
  ['a malformed body', `${POST}x\r\n`, 400],
  [
    'the head of a request with too large a body',
    head('POST /v1/pets', KEY, JSON_TYPE, LAST, 'Content-Length: 200000'),
    413,
  ],
  ['the head of a request with a body and without a key', head('POST /v1/pets', CHUNKED), 401],
  ['a head that is too large', head('GET /', 'X-Any: a'.padEnd(100_000, 'a')), 431],
])(
  'a client that keeps sending after %s gets its response, and its connection is not reset',
  async (...row) => {
    const [, bytes, status] = row;
    const connection = await rawConnection(gateway.url);
    connection.send(bytes);
    expect((await connection.answers(1)).map((answer) => answer.status)).toEqual([status]);
    // A reset would discard what the client has yet to read.
    expect(await isResetBySending(connection, 'x\r\n')).toBe(false);
    expect(await connection.last()).toHaveLength(1);
  },
);

/** More requests than the service answers before others have to wait. */
const REQUESTS = 100;

test.each([
  { what: 'without a Host', host: '' },
  { what: 'with a Host', host: 'Host: store\r\n' },
])(
  'a request $what whose body is malformed is answered once, even if it has to wait',
  async ({ host }) => {
    const before = log.text().length;
    const connections = await Promise.all(
      Array.from({ length: REQUESTS }, () => rawConnection(gateway.url)),
    );
    connections.forEach(({ send }, index) => {
      const headers = `${host}X-Request-Id: of-${index}\r\nTransfer-Encoding: chunked\r\n`;
      send(`POST /v1/pets HTTP/1.1\r\n${headers}\r\nno chunk\r\n`);
    });
    const answers = await Promise.all(connections.map(({ last }) => last()));
    const ids = Array.from({ length: REQUESTS }, (_, index) => `of-${index}`);
    expect(answers.map((all) => all.map(({ headers }) => headers.get('x-request-id')))).toEqual(
      ids.map((id) => [id]),
    );
    const malformed = errorBody(400, 'BAD_USER_INPUT', 'The request is not well-formed HTTP/1.1');
    expect(answers.flat().map(({ body }) => body.toString())).toContain(malformed);
    const logged = () =>
      Array.from(
        log
          .text()
          .slice(before)
          .matchAll(/"requestId":"(of-\d+)".*"durationMs"/g),
        ([, id]) => id,
      );
    await expect.poll(() => new Set(logged())).toEqual(new Set(ids));
  },
);
