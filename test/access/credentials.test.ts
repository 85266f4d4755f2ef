import { generateApiKey } from '../support/store-database.ts';
import { schema, startGateway } from '../support/gateway.ts';
import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import {
  askedOperations,
  BAD_KEY,
  countRows,
  documents,
  notRefused,
  NO_KEY,
  operations,
  storeAskedDocument,
  type Attempt,
} from '../support/refusals.ts';
import { sendBytes } from '../support/http-answers.ts';
import { sendHead } from '../support/node-request.ts';

const gateway = await startGateway();
const { url, key, database, tables, request } = gateway;
await storeAskedDocument(gateway);
const otherStore = await startGateway();

const [unknown, expired, revoked] = [generateApiKey(), generateApiKey(), generateApiKey()];
await tables.apiKey.createMany({
  data: [
    { name: 'expired', hash: hashApiKey(expired), expiresAt: new Date('2026-05-04T03:02:01Z') },
    { name: 'revoked', hash: hashApiKey(revoked), revokedAt: new Date() },
  ],
});
const EXPIRED = { ...BAD_KEY, message: 'The API key expired on 2026-05-04 at 03:02 UTC' };

/** Attempts with these Authorization headers; a list means several headers in one request. */
const attemptsWith = (
  headers: readonly (string | string[])[],
  told: typeof NO_KEY = BAD_KEY,
): Attempt[] =>
  headers.map((Authorization) => ({
    what: String(Authorization),
    headers: { Authorization },
    told,
  }));

const bearing = (...keys: readonly string[]) => attemptsWith(keys.map((each) => `Bearer ${each}`));

/** Encodes a text as UTF-8 with one character per byte, which is how Node.js reads headers. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

test('the tested operations include reads, writes, stored documents and HEAD', () => {
  expect(documents.flatMap((document) => validate(schema, parse(document)))).toEqual([]);
  const asked = askedOperations.map(({ method, path, body = '' }) => `${method} ${path} ${body}`);
  expect(asked).toEqual(
    expect.arrayContaining([
      'GET /v1/pets ',
      'GET /v1/pets/1 ',
      'POST /v1/pets {"name":"Rex","categoryId":1}',
      'HEAD /v1/pets ',
      `HEAD /graphql?query=${encodeURIComponent('query { __typename }')} `,
      expect.stringMatching(/^POST \/graphql \{"documentId"/),
      expect.stringMatching(/^POST \/graphql \{"query":"query \{ __schema/),
      expect.stringMatching(/^POST \/graphql \{"query":"query \{ pet\(id: /),
      expect.stringMatching(/^POST \/graphql \{"query":"mutation \{ createPet\(/),
    ]),
  );
});

test('without a bearer key, every operation returns 401 with the challenge Bearer', async () => {
  const headers = [
    '',
    `Basic ${btoa(`user:${key}`)}`,
    key,
    ` ${key}`,
    'Bearer',
    'Bearer   ',
    `Bearers ${key}`,
    `Bearer${key}`,
    `Bearer\t${key}`,
    `Bearer=${key}`,
    `Bearer: ${key}`,
    `Bearer\u00a0${key}`,
    `Basic Bearer ${key}`,
    `Token ${key}`,
    `Digest username="${key}"`,
    `${utf8('Вearer')} ${key}`,
    `${utf8('Bearer\u0307')} ${key}`,
    ['', `Bearer ${key}`],
    ['Basic eDp5', `Bearer ${key}`],
    ['Bearer', key],
  ];
  const attempts = [{ what: 'none', headers: {}, told: NO_KEY }, ...attemptsWith(headers, NO_KEY)];
  expect(await notRefused(gateway, attempts)).toEqual([]);
});

test('with an invalid key, every operation returns 401 with the challenge invalid_token', async () => {
  const hash = hashApiKey(key);
  const attempts = bearing(
    unknown,
    otherStore.key,
    revoked,
    `${key} ${key}`,
    `${key}, ${key}`,
    `${key},`,
    `"${key}"`,
    key + key,
    key.toLowerCase(),
    key.toUpperCase(),
    key.replaceAll(/[a-z]/gi, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    ),
    Array.from(key).toReversed().join(''),
    // In full-width characters.
    utf8(key.replaceAll(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0))),
    key.replace('_', '%5F'),
    btoa(key),
    btoa(`key:${key}`),
    hash.toString('hex'),
    hash.toString('base64'),
    `\\x${hash.toString('hex')}`,
    key.slice(4),
    `asg_${key}`,
    "' OR '1'='1",
    ...'asg_% nonsense __proto__ constructor 1 null undefined true'.split(' '),
  );
  const twice = attemptsWith([
    [`Bearer ${key}`, `Bearer ${unknown}`],
    [`Bearer ${unknown}`, `Bearer ${key}`],
    [`Bearer ${key}`, ''],
    [`Bearer ${key}`, 'Basic eDp5'],
    [`Bearer ${key.slice(0, 30)}`, key.slice(30)],
    Array.from({ length: 20 }, () => `Bearer ${key}`),
  ]);
  const ended = attemptsWith([`Bearer ${expired}`], EXPIRED);
  expect(await notRefused(gateway, [...attempts, ...twice, ...ended])).toEqual([]);
});

test.each(['Bearer ', 'bearer ', 'BEARER ', 'bEaReR ', 'Bearer     '])(
  'a valid key after "%s" is accepted by every operation',
  async (scheme) => {
    const statuses = operations.map(async ({ method, path, body }) => {
      const headers = { Authorization: scheme + key, 'Content-Type': 'application/json' };
      const init = { method, headers, ...(body !== undefined && { body }) };
      return (await request(path, init)).status;
    });
    const refused = new Set([401, 403, 500, 503]);
    expect((await Promise.all(statuses)).filter((status) => refused.has(status))).toEqual([]);
  },
);

/** A request that creates an animal, with these header lines. */
function addition(lines: string): string {
  const body = '{"name":"smuggled","categoryId":1}';
  return `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${lines}\r\n${body}`;
}

const statusOf = async (lines: string) =>
  (await sendBytes(url, addition(lines), ['POST']))[0]?.status;

/** Returns the codes of the bytes whose header lines are wrongly accepted or rejected. */
async function opened(all: readonly string[], allowed: readonly string[]): Promise<number[]> {
  const wrong: number[] = [];
  // One after the other, because a busy machine may reject some of 256 concurrent requests.
  for (const [code, lines] of all.entries()) {
    const status = await statusOf(lines);
    const expected = allowed.includes(String.fromCharCode(code)) ? [201] : [400, 401];
    if (!expected.includes(status ?? 0)) {
      wrong.push(code);
    }
  }
  return wrong;
}

test('a key with an extra byte before, in or after it is rejected, except for white space that HTTP ignores', async () => {
  const before = await database.pet.count();
  const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
  const [front, within, behind] = [
    bytes.map((byte) => `Authorization: Bearer ${byte}${key}\r\n`),
    bytes.map((byte) => `Authorization: Bearer ${key.slice(0, 9)}${byte}${key.slice(9)}\r\n`),
    bytes.map((byte) => `Authorization: Bearer ${key}${byte}\r\n`),
  ];
  expect(await opened(front, [' '])).toEqual([]);
  expect(await opened(within, [])).toEqual([]);
  expect(await opened(behind, [' ', '\t'])).toEqual([]);
  // One for each allowed byte.
  expect(await database.pet.count()).toBe(before + 3);
});

test.each([
  ['a space before the colon', `Authorization : Bearer ${key}\r\n`],
  ['a space before the name', ` Authorization: Bearer ${key}\r\n`],
  ['a fold after the scheme', `Authorization: Bearer\r\n ${key}\r\n`],
  ['a fold before the scheme', `Authorization:\r\n Bearer ${key}\r\n`],
  ['a fold with a tab', `Authorization: Bearer\r\n\t${key}\r\n`],
  ['a fold of a different header', `X: y\r\n Authorization: Bearer ${key}\r\n`],
  ['a bare line feed', `X: y\nAuthorization: Bearer ${key}\r\n`],
  ['a bare carriage return', `X: y\rAuthorization: Bearer ${key}\r\n`],
  ['NUL in the name', `Authorization\0: Bearer ${key}\r\n`],
  ['an underscore in the name', `_Authorization: Bearer ${key}\r\n`],
  ['no colon', `Authorization Bearer ${key}\r\n`],
  [
    'a second header in capitals',
    `Authorization: Bearer ${key}\r\nAUTHORIZATION: Bearer ${unknown}\r\n`,
  ],
  ['its name in Connection and no key', 'Connection: Authorization, close\r\n'],
  [
    'its name in Connection and a bad key',
    `Connection: Authorization, close\r\nAuthorization: Bearer ${unknown}\r\n`,
  ],
])('an Authorization header with %s is rejected', async (_what, lines) => {
  const before = await countRows(gateway);
  expect([400, 401]).toContain(await statusOf(lines));
  expect(await countRows(gateway)).toEqual(before);
});

test('an API key in the trailers is ignored', async () => {
  const before = await countRows(gateway);
  const body = '{"name":"smuggled","categoryId":1}';
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  for (const lines of ['', `Authorization: Bearer ${unknown}\r\n`]) {
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTrailer: Authorization\r\n${lines}Transfer-Encoding: chunked\r\n\r\n`;
    const [answer] = await sendBytes(url, head + chunked, ['POST']);
    expect(answer?.status).toBe(401);
  }
  expect(await countRows(gateway)).toEqual(before);
});

test('a key authenticates only its own request, not later requests on the same connection', async () => {
  const bare = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n';
  const answers = await sendBytes(
    url,
    `${bare}Authorization: Bearer ${key}\r\n\r\n${bare}\r\n${bare}Authorization: Bearer ${unknown}\r\n\r\n`,
    ['GET', 'GET', 'GET'],
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 401]);
});

test('an Authorization header that exceeds the header size limit gets 431', async () => {
  const oversized = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'a'.repeat(20_000)}\r\n\r\n`;
  expect((await sendBytes(url, oversized))[0]?.status).toBe(431);
});

const bearer = `Bearer ${key}`;
const wordsOf = (text: string) => text.trim().split(/\s+/);

const HEADERS = wordsOf(`
  X-API-Key API-Key Api_Key X-Auth-Token X-Access-Token X-Authorization Authentication
  Proxy-Authorization X-Forwarded-Authorization WWW-Authenticate Sec-WebSocket-Protocol
  X-Original-Authorization Authorization-Bearer Authorisation Bearer Referer From Via`);
const COOKIES = [
  `Authorization=${bearer}`,
  `authorization=${key}`,
  `api_key=${key}; access_token=${key}; key=${key}; token=${key}`,
];
const PARAMETERS = wordsOf('access_token api_key apikey key token authorization Authorization');

test('an API key in any header except Authorization is ignored', async () => {
  const headers = [
    ...HEADERS.map((name) => ({ [name]: bearer })),
    ...COOKIES.map((Cookie) => ({ Cookie })),
  ];
  const attempts = headers.map((each) => ({
    what: Object.keys(each).join(),
    headers: each,
    told: NO_KEY,
  }));
  expect(await notRefused(gateway, attempts)).toEqual([]);
});

test('an API key in the query string or the body is ignored', async () => {
  const query = PARAMETERS.map((name) => `${name}=${encodeURIComponent(bearer)}&${name}=${key}`);
  const headers = `{"Authorization":"${bearer}"}`;
  const members = `"access_token":"${key}","Authorization":"${bearer}","headers":${headers},"extensions":{"headers":${headers}}`;
  const elsewhere = askedOperations.flatMap(({ surface, method, path, body }) => [
    {
      surface,
      method,
      path: `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`,
      ...(body !== undefined && { body: `{${members},${body.slice(1)}` }),
    },
  ]);
  const attempt = { what: 'elsewhere', headers: {}, told: NO_KEY };
  expect(await notRefused(gateway, [attempt], elsewhere)).toEqual([]);
});

test('an API key in the user part of the URL is ignored', async () => {
  for (const user of [`${key}@`, `Bearer:${key}@`, `${key}:@`]) {
    const [answer] = await sendBytes(
      url,
      `GET http://${user}animals.example/v1/pets HTTP/1.1\r\nHost: animals.example\r\n\r\n`,
    );
    expect([400, 401]).toContain(answer?.status);
  }
});

/** Variants of the paths that require a key. */
const SPELLINGS = wordsOf(`
  /v1/pets/ //v1/pets /v1//pets /v1/./pets /x/../v1/pets /V1/PETS /v1/%70ets /%761/pets
  /v1/pets%2f /v1%2fpets /v1/pets%00 /v1/pets;x=y /v1/pets# /v1/pets/1/ /v1/pets/./1
  /v1/pets/1%2f.. /graphql/ //graphql /GraphQL /graphql%3fquery={pets{id}} /graphql;x
  http://animals.example/v1/pets https://animals.example/v1/pets HTTP://x/v1/pets /v1\\pets
  http://animals.example/graphql?query={pets{id}} /v1/pets? /v1/pets?a?b
  /v1/openapi.json/../pets /v1/openapi.json/../../graphql?query={pets{id}}
  /docs/../v1/pets /v1/openapi.json%2f..%2fpets`);

await otherStore.post('/v1/pets', { name: 'not to be seen', categoryId: 1 });

describe.each(['GET', 'HEAD', 'POST'])('%s', (method) => {
  test.each(SPELLINGS)('%s reveals and changes nothing without a key', async (target) => {
    const before = await countRows(otherStore);
    const body = '{"name":"smuggled","categoryId":1,"query":"{pets{name}}"}';
    const [answer] = await sendBytes(
      otherStore.url,
      `${method} ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      [method],
    );
    expect([400, 401, 404, 405]).toContain(answer?.status);
    expect(answer?.body.toString()).not.toContain('not to be seen');
    expect(await countRows(otherStore)).toEqual(before);
  });
});

test.each([
  'X-HTTP-Method-Override',
  'X-Method-Override',
  'X-HTTP-Method',
  'X-Original-URL',
  'X-Rewrite-URL',
])('the header %s cannot turn a public request into a request that needs a key', async (name) => {
  const before = await countRows(gateway);
  for (const value of ['GET', 'POST', '/v1/pets', '/graphql?query={pets{id}}']) {
    const [answer] = await sendBytes(
      url,
      `GET /schema.graphql HTTP/1.1\r\nHost: x\r\n${name}: ${value}\r\n\r\n`,
    );
    expect([answer?.status, answer?.body.toString()]).toEqual([
      200,
      expect.stringContaining('type Pet'),
    ]);
  }
  expect(await countRows(gateway)).toEqual(before);
});

describe.each([
  { path: '/v1/pets', bodyOf: errorBody },
  { path: '/graphql', bodyOf: graphqlErrorBody },
])('a POST to $path', ({ path, bodyOf }) => {
  test.each([
    { what: 'malformed JSON', body: '{"name":', headers: {} },
    { what: 'JSON that is not an object', body: '[]', headers: {} },
    { what: 'a body of another type', body: 'x', headers: { 'Content-Type': 'text/plain' } },
    { what: 'a body that is too large', body: ' '.repeat(200_000), headers: {} },
    { what: 'an unsupported Accept', body: '{}', headers: { Accept: 'image/png' } },
  ])('with an invalid key and $what returns 401', async ({ body, headers }) => {
    const { status, text } = await request(path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${unknown}`,
        ...headers,
      },
      body,
    });
    expect([status, text]).toEqual([
      401,
      bodyOf(401, 'UNAUTHENTICATED', 'The API key is not valid'),
    ]);
  });

  test.each([
    { what: 'a length', headers: { 'Content-Length': 90_000 } },
    { what: 'no length', headers: { 'Transfer-Encoding': 'chunked' } },
    {
      what: 'Expect: 100-continue',
      headers: { 'Content-Length': 90_000, Expect: '100-continue' },
    },
  ])(
    'without a key and with $what returns 401 as soon as its headers arrive',
    async ({ headers }) => {
      const sent = { 'Content-Type': 'application/json', ...headers };
      expect(await sendHead(url + path, sent)).toEqual({ status: 401, continued: false });
    },
  );
});
