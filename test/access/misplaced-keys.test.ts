import { describe, expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import {
  askedOperations,
  countRows,
  notRefused,
  NO_KEY,
  storeAskedDocument,
} from '../support/refusals.ts';
import { sendBytes } from '../support/wire.ts';

const gateway = await startGateway();
const { url, key } = gateway;
await storeAskedDocument(gateway);

const bearer = `Bearer ${key}`;

test('a good key in any header but Authorization opens nothing', async () => {
  const names = [
    ...'X-API-Key API-Key Api_Key X-Auth-Token X-Access-Token X-Authorization Authentication'.split(
      ' ',
    ),
    ...'Proxy-Authorization X-Forwarded-Authorization WWW-Authenticate Sec-WebSocket-Protocol'.split(
      ' ',
    ),
    ...'X-Original-Authorization Authorization-Bearer Authorisation Bearer Referer From Via'.split(
      ' ',
    ),
  ];
  expect(
    await notRefused(
      gateway,
      names.map((name) => ({ what: name, headers: { [name]: bearer }, told: NO_KEY })),
    ),
  ).toEqual([]);
});

test('a good key in a cookie opens nothing', async () => {
  const cookies = [
    `Authorization=${bearer}`,
    `authorization=${key}`,
    `api_key=${key}; access_token=${key}; key=${key}; token=${key}`,
  ];
  expect(
    await notRefused(
      gateway,
      cookies.map((Cookie) => ({ what: Cookie, headers: { Cookie }, told: NO_KEY })),
    ),
  ).toEqual([]);
});

test('a good key in the URL opens nothing', async () => {
  const names = [
    'access_token',
    'api_key',
    'apikey',
    'key',
    'token',
    'authorization',
    'Authorization',
  ];
  const parameters = names.map((name) => `${name}=${encodeURIComponent(bearer)}&${name}=${key}`);
  const operations = askedOperations.map((operation) => ({
    ...operation,
    path: `${operation.path}${operation.path.includes('?') ? '&' : '?'}${parameters.join('&')}`,
  }));
  expect(
    await notRefused(gateway, [{ what: 'the URL', headers: {}, told: NO_KEY }], operations),
  ).toEqual([]);
});

test('a good key in the body opens nothing', async () => {
  const operations = askedOperations.flatMap((operation) =>
    operation.body === undefined
      ? []
      : [
          {
            ...operation,
            body: `{"access_token":"${key}","Authorization":"${bearer}","headers":{"Authorization":"${bearer}"},"extensions":{"headers":{"Authorization":"${bearer}"}},${operation.body.slice(1)}`,
          },
        ],
  );
  expect(
    await notRefused(gateway, [{ what: 'the body', headers: {}, told: NO_KEY }], operations),
  ).toEqual([]);
});

test('a good key as the user of the URL opens nothing', async () => {
  for (const user of [`${key}@`, `Bearer:${key}@`, `${key}:@`]) {
    const [answer] = await sendBytes(
      url,
      `GET http://${user}animals.example/v1/pets HTTP/1.1\r\nHost: animals.example\r\n\r\n`,
    );
    expect([400, 401]).toContain(answer?.status);
  }
});

/** Ways to write the addresses of what needs a key. */
const SPELLINGS = [
  ...'/v1/pets/ //v1/pets /v1//pets /v1/./pets /x/../v1/pets /V1/PETS /v1/%70ets /%761/pets'.split(
    ' ',
  ),
  ...'/v1/pets%2f /v1%2fpets /v1/pets%00 /v1/pets;x=y /v1/pets# /v1/pets/1/ /v1/pets/./1'.split(
    ' ',
  ),
  ...'/v1/pets/1%2f.. /graphql/ //graphql /GraphQL /graphql%3fquery={pets{id}} /graphql;x'.split(
    ' ',
  ),
  ...'http://animals.example/v1/pets https://animals.example/v1/pets HTTP://x/v1/pets /v1\\pets'.split(
    ' ',
  ),
  ...'http://animals.example/graphql?query={pets{id}} /v1/pets? /v1/pets?a?b /v1/openapi.json/../pets'.split(
    ' ',
  ),
  ...'/v1/openapi.json/../../graphql?query={pets{id}} /docs/../v1/pets /v1/openapi.json%2f..%2fpets'.split(
    ' ',
  ),
];

await gateway.post('/v1/pets', { name: 'not to be seen', categoryId: 1 });

describe.each(['GET', 'HEAD', 'POST'])('%s', (method) => {
  test.each(SPELLINGS)('%s shows nothing without a key', async (target) => {
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
])('%s makes no other request of a public one', async (name) => {
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
