import { expect, test } from 'vitest';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection, type RawConnection } from '../support/raw-connection.ts';

const ORIGIN = 'https://shop.example';
const gateway = await startGateway({ maximumOpenRequests: 2, corsOrigins: [ORIGIN] });
const BODY = '{"name":"Open","categoryId":1}';
const OVERLOADED = [
  503,
  'OVERLOADED',
  'The service has too much to do right now. Please try again.',
] as const;

/** A request that the service is at work on: it has asked for the body. */
async function open(): Promise<RawConnection> {
  const connection = await rawConnection(gateway.url);
  connection.send(
    head(
      'POST /v1/pets',
      `Authorization: Bearer ${gateway.key}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
      'Expect: 100-continue',
    ),
  );
  await expect.poll(() => connection.socket.bytesRead).toBeGreaterThan(0);
  return connection;
}

test('what comes beyond the requests that may be open is 503, and those are unharmed', async () => {
  const opened = [await open(), await open()];
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
  const graphql = await gateway.graphql('{ pets { id } }');
  expect([graphql.status, graphql.text]).toEqual([503, graphqlErrorBody(...OVERLOADED)]);
  expect((await gateway.request('/livez')).status).toBe(200);
  expect((await gateway.request('/readyz')).status).toBe(200);

  opened.forEach(({ send }) => {
    send(BODY);
  });
  const answers = await Promise.all(opened.map((connection) => connection.answers(1)));
  expect(answers.flat().map(({ status }) => status)).toEqual([201, 201]);
  expect((await gateway.request('/v1/pets')).status).toBe(200);
});

test('a client that goes away makes room', async () => {
  const opened = [await open(), await open()];
  expect((await gateway.request('/v1/pets')).status).toBe(503);
  opened[0]?.socket.destroy();
  await expect.poll(async () => (await gateway.request('/v1/pets')).status).toBe(200);
});
