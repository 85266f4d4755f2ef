import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { requestOf } from '../support/gateway.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { head, rawConnection, type RawConnection } from '../support/raw-connection.ts';

const gateway = await startMeasuredGateway({ trustedProxies: ['loopback'] });
const { database, key, log, moved, url } = gateway;
const { key: honestKey } = await createKey(database, { name: 'honest' });
const [HOG, HONEST] = ['1', '2'];
await gateway.request('/v1/pets');
await requestOf(url, honestKey)('/v1/pets');

const REQUESTS = 150;

/** The key ids of the answered requests, in order; undefined for requests without a key. */
const answered = () => log.lines('"durationMs"').map(({ keyId }) => keyId);

function post(path: string, body: string): string {
  const headers = [
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  return head(`POST ${path}`, ...headers) + body;
}

/** A connection that the service has accepted. */
async function connectAndAsk(): Promise<RawConnection> {
  const connection = await rawConnection(url);
  connection.send(head('GET /livez'));
  await connection.answers(1);
  return connection;
}

/** Sends many requests with one key, then one with a different key. Returns how many were answered before that one. */
async function answeredBefore(requests: readonly string[], honest: string): Promise<number> {
  const connections = await Promise.all(requests.map(connectAndAsk));
  const last = await connectAndAsk();
  const before = answered().length;
  connections.forEach(({ send }, index) => {
    send(requests[index] ?? '');
  });
  last.send(honest);
  await Promise.all([...connections, last].map((connection) => connection.answers(2)));
  await expect.poll(() => answered().length).toBe(before + requests.length + 1);
  return answered().slice(before).indexOf(HONEST);
}

const list = head('GET /v1/pets?limit=3', `Authorization: Bearer ${honestKey}`);

test.each([
  {
    what: 'expensive validations',
    request: (index: number) =>
      post('/graphql', JSON.stringify({ query: `{${'pets{id} '.repeat(90)}x${index}}` })),
  },
  {
    what: 'large bodies',
    request: (index: number) =>
      post('/v1/pets', `{"name":"${index}","n":[${'1.5e300,'.repeat(4000)}0]}`),
  },
])("a cheap request overtakes a different key's $what", async ({ request }) => {
  const requests = Array.from({ length: REQUESTS }, (_, index) => request(index));
  expect(await answeredBefore(requests, list)).toBeLessThan(REQUESTS * 0.6);
});

test("each key's waiting time is reported in the metrics and in the log", async () => {
  const requests = Array.from({ length: REQUESTS }, (_, index) =>
    post('/graphql', JSON.stringify({ query: `{${'pets{id} '.repeat(90)}y${index}}` })),
  );
  const counted = await moved(/^animal_store_request_wait/, () => answeredBefore(requests, list));
  const waitOf = (keyId: string) =>
    counted[`animal_store_request_wait_seconds_total{key_id=${keyId}}`] ?? 0;
  expect(waitOf(HOG ?? '')).toBeGreaterThan(waitOf(HONEST ?? ''));
  expect(log.text()).toMatch(/"durationMs":[\d.]+,"waitedMs":[\d.]+,"keyId":"1"/);
  expect(await gateway.toldOf('animal_store_waiting_requests')).toEqual({ none: 0 });
});

const CONNECTIONS = 60;
/** The number of requests that run concurrently on a connection. */
const PIPELINED = 8;

test('requests with a key overtake requests without a key, however many addresses those come from', async () => {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS + 1 }, connectAndAsk));
  const before = answered().length;
  connections.slice(1).forEach(({ send }, connection) => {
    const requests = Array.from({ length: PIPELINED }, (_, index) =>
      head('GET /v1/pets', `X-Forwarded-For: 2001:db8:${connection}:${index}::1`),
    );
    send(requests.join(''));
  });
  // These are rejected without a database call, so the responses are in the order of the turns.
  connections[0]?.send(
    head('GET /v1/pets?limit=0', `Authorization: Bearer ${key}`).repeat(PIPELINED),
  );
  await Promise.all(connections.map(({ answers }) => answers(1 + PIPELINED)));
  const all = PIPELINED * (CONNECTIONS + 1);
  await expect.poll(() => answered().length).toBe(before + all);
  const last = answered()
    .slice(before)
    .findLastIndex((keyId) => keyId !== undefined);
  expect(last).toBeLessThan(all / 2);
});
