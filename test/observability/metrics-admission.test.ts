import { expect, test } from 'vitest';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { openPost } from '../support/node-request.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

// The gateway is measured from its start, which the first test checks, until it ends, which the last test checks.
const gateway = await startMeasuredGateway({ maximumOpenRequests: 2 });
const { database, health, moved, request, send, toldOf, url } = gateway;

const UNREAD = 'animal_store_unread_requests_total';
const COUNTS = /(?:^animal_store|^http)\w+_(?:total|count)\{/;
const overloaded = (surface: string) =>
  `http_server_request_duration_seconds_count{surface=${surface} operation=overloaded http_response_status_code=503}`;

test('the counter of unread requests starts at 0 for each status', async () => {
  expect(await toldOf(UNREAD)).toEqual({ 400: 0, 405: 0, 408: 0, 431: 0, 501: 0, none: 0 });
});

test.each([
  [400, 'HELO\r\n\r\n'],
  [405, head('CONNECT store:443')],
  [431, head('GET /v1/pets', 'X-Any:'.padEnd(20_000, 'a'))],
])('a malformed request that returns %i is counted once, as unread', async (status, bytes) => {
  const counted = await moved(COUNTS, async () => {
    const connection = await rawConnection(url);
    connection.send(bytes);
    expect((await connection.last()).map((answer) => answer.status)).toEqual([status]);
  });
  expect(counted).toEqual({ [`${UNREAD}{http_response_status_code=${status}}`]: 1 });
});

test('requests beyond the maximum are counted as overloaded, and the maximum itself is a metric', async () => {
  expect(await toldOf('http_server_active_requests_max')).toEqual({ '': 2 });
  expect(await toldOf('http_server_open_connections_max')).toEqual({ '': 4000 });
  const opened = [await openPost(gateway, '/v1/pets'), await openPost(gateway, '/v1/pets')];
  const counted = await moved(COUNTS, async () => {
    expect(await send('/v1/pets')).toBe(503);
    expect(await send('/graphql?query={pets{id}}')).toBe(503);
  });
  opened.forEach((post) => post.once('error', () => undefined).destroy());
  // Wait for it, because later tests must not count these requests.
  await expect
    .poll(() => toldOf('http_server_request_duration_seconds_count'))
    .toMatchObject({ 'rest createPet none': 2 });
  expect(counted).toEqual({ [overloaded('rest')]: 1, [overloaded('graphql')]: 1 });
});

const ready = () => toldOf('animal_store_ready');
const readiness = async () => (await request('/readyz')).status;

test('the latest readiness is a metric', async () => {
  expect(await ready()).toEqual({});
  expect([await readiness(), await ready()]).toEqual([200, { '': 1 }]);
  await database.$executeRaw`ALTER TABLE pets RENAME TO away`;
  // Readiness is cached for a moment.
  await expect.poll(readiness).toBe(503);
  expect(await ready()).toEqual({ '': 0 });
  await database.$executeRaw`ALTER TABLE away RENAME TO pets`;
  await expect.poll(readiness).toBe(200);
  expect(await ready()).toEqual({ '': 1 });
  health.end();
  expect([await readiness(), await ready()]).toEqual([503, { '': 0 }]);
});
