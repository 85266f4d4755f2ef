import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { createKey } from '../support/keys.ts';
import { captureLog } from '../support/captured-log.ts';
import { errorBody, graphqlErrorBody, OVERLOADED } from '../support/error-body.ts';
import { requestOf, startGateway } from '../support/gateway.ts';
import { endRequest, openPost } from '../support/node-request.ts';
import { head, rawConnection } from '../support/raw-connection.ts';
import { generateApiKey } from '../support/store-database.ts';

const ORIGIN = 'https://shop.example';
const OPEN = 20;
const gateway = await startGateway({ maximumOpenRequests: OPEN, corsOrigins: [ORIGIN] });
const { url } = gateway;
const other = requestOf(url, (await createKey(gateway.database, { name: 'other' })).key);
const log = captureLog();
const BODY = '{"name":"Open","categoryId":1}';

// Until the service has verified a key, requests with the key count as requests from their address.
await gateway.request('/v1/pets');

/** Opens requests that the service is processing: it has asked for their bodies. */
function openPosts(count: number) {
  return Promise.all(
    Array.from({ length: count }, () => openPost(gateway, '/v1/pets', {}, { agent: false })),
  );
}

function giveUp(posts: Awaited<ReturnType<typeof openPosts>>): void {
  posts.forEach((post) => post.once('error', () => undefined).destroy());
}

test('a key may use half of all open requests; its further requests get 503, and other clients are still served', async () => {
  const opened = await openPosts(10);
  const headers = { Origin: ORIGIN, 'X-Request-Id': 'refused' };
  const rest = await gateway.request('/v1/pets', { headers });
  expect([rest.status, rest.text]).toEqual([503, errorBody(...OVERLOADED)]);
  expect(Object.fromEntries(rest.headers)).toMatchObject({
    'access-control-allow-origin': ORIGIN,
    'cache-control': 'private, no-cache',
    'content-type': 'application/json; charset=utf-8',
    'retry-after': '1',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'refused',
  });
  const line = await log.line((each) => each.includes('"requestId":"refused"'));
  expect(JSON.parse(line)).toMatchObject({ status: 503, keyId: '1' });
  const graphql = await gateway.graphql('{ pets { id } }');
  expect([graphql.status, graphql.text]).toEqual([503, graphqlErrorBody(...OVERLOADED)]);

  expect((await other('/v1/pets')).status).toBe(200);
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);

  const answers = await Promise.all(opened.map((post) => endRequest(post, BODY)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  await expect.poll(async () => (await gateway.request('/v1/pets')).status).toBe(200);
});

test('the open requests of a client that disconnects no longer count', async () => {
  const opened = await openPosts(10);
  expect((await gateway.request('/v1/pets')).status).toBe(503);
  giveUp(opened.slice(0, 1));
  await expect.poll(async () => (await gateway.request('/v1/pets')).status).toBe(200);
  giveUp(opened);
});

test('unread responses to requests without a key leave room for requests with a key', async () => {
  for (let opened = 0; opened < 2; opened += 1) {
    const connection = await rawConnection(url);
    connection.socket.pause();
    connection.send(head('GET /assets/graphiql/graphiql.js'));
  }
  await expect.poll(async () => (await fetch(url)).status).toBe(503);
  expect((await gateway.request('/v1/pets')).status).toBe(200);
  expect((await other('/v1/pets')).status).toBe(200);
  // A request with an uncached key does not count as a request without a key.
  const unknown = requestOf(url, (await createKey(gateway.database, { name: 'unknown' })).key);
  expect((await unknown('/v1/pets')).status).toBe(200);
});

test('requests with made-up keys from many addresses leave room for a request with a known key', async () => {
  const {
    url: address,
    key,
    databaseUrl,
    request,
  } = await startGateway({
    maximumOpenRequests: OPEN,
    trustedProxies: ['loopback'],
  });
  // Makes the service cache the key.
  await request('/v1/pets');
  const connections = await Promise.all(
    Array.from({ length: OPEN + 1 }, () => rawConnection(address)),
  );
  const [honest, ...strangers] = connections;
  const client = await connectClient(databaseUrl);
  await client.query('BEGIN; LOCK TABLE _gateway_api_keys IN ACCESS EXCLUSIVE MODE');
  let refused = 0;
  const settled = strangers.map(async ({ send, answers }, index) => {
    send(
      head(
        'GET /v1/pets',
        `Authorization: Bearer ${generateApiKey()}`,
        `X-Forwarded-For: 192.0.2.${index}`,
      ),
    );
    const [answer] = await answers(1);
    refused += answer?.status === 503 ? 1 : 0;
  });
  await expect.poll(() => refused).toBe(OPEN / 2);
  honest?.send(head('GET /v1/pets', `Authorization: Bearer ${key}`));
  await client.query('COMMIT');
  const [answer] = (await honest?.answers(1)) ?? [];
  expect(answer?.status).toBe(200);
  await Promise.all(settled);
});
