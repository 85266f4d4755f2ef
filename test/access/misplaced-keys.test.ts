import { describe, expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import {
  askedOperations,
  countRows,
  notRefused,
  NO_KEY,
  storeAskedDocument,
} from '../support/refusals.ts';
import { sendBytes } from '../support/http-answers.ts';

const gateway = await startGateway();
const { url, key } = gateway;
await storeAskedDocument(gateway);

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

test('a key in any header except Authorization is ignored', async () => {
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

test('a key in the query string or the body is ignored', async () => {
  const query = PARAMETERS.map((name) => `${name}=${encodeURIComponent(bearer)}&${name}=${key}`);
  const headers = `{"Authorization":"${bearer}"}`;
  const members = `"access_token":"${key}","Authorization":"${bearer}","headers":${headers},"extensions":{"headers":${headers}}`;
  const operations = askedOperations.flatMap(({ surface, method, path, body }) => [
    {
      surface,
      method,
      path: `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`,
      ...(body !== undefined && { body: `{${members},${body.slice(1)}` }),
    },
  ]);
  const attempt = { what: 'elsewhere', headers: {}, told: NO_KEY };
  expect(await notRefused(gateway, [attempt], operations)).toEqual([]);
});

test('a key as the user of the URL is ignored', async () => {
  for (const user of [`${key}@`, `Bearer:${key}@`, `${key}:@`]) {
    const [answer] = await sendBytes(
      url,
      `GET http://${user}animals.example/v1/pets HTTP/1.1\r\nHost: animals.example\r\n\r\n`,
    );
    expect([400, 401]).toContain(answer?.status);
  }
});

/** Ways to write the paths that need a key. */
const SPELLINGS = wordsOf(`
  /v1/pets/ //v1/pets /v1//pets /v1/./pets /x/../v1/pets /V1/PETS /v1/%70ets /%761/pets
  /v1/pets%2f /v1%2fpets /v1/pets%00 /v1/pets;x=y /v1/pets# /v1/pets/1/ /v1/pets/./1
  /v1/pets/1%2f.. /graphql/ //graphql /GraphQL /graphql%3fquery={pets{id}} /graphql;x
  http://animals.example/v1/pets https://animals.example/v1/pets HTTP://x/v1/pets /v1\\pets
  http://animals.example/graphql?query={pets{id}} /v1/pets? /v1/pets?a?b
  /v1/openapi.json/../pets /v1/openapi.json/../../graphql?query={pets{id}}
  /docs/../v1/pets /v1/openapi.json%2f..%2fpets`);

await gateway.post('/v1/pets', { name: 'not to be seen', categoryId: 1 });

describe.each(['GET', 'HEAD', 'POST'])('%s', (method) => {
  test.each(SPELLINGS)('%s without a key reveals and changes nothing', async (target) => {
    const before = await countRows(gateway);
    const body = '{"name":"smuggled","categoryId":1,"query":"{pets{name}}"}';
    const [answer] = await sendBytes(
      url,
      `${method} ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      [method],
    );
    expect([400, 401, 404, 405]).toContain(answer?.status);
    expect(answer?.body.toString()).not.toContain('not to be seen');
    expect(await countRows(gateway)).toEqual(before);
  });
});

test.each([
  'X-HTTP-Method-Override',
  'X-Method-Override',
  'X-HTTP-Method',
  'X-Original-URL',
  'X-Rewrite-URL',
])('%s cannot turn a public request into another', async (name) => {
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
