import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { requestOf } from '../support/gateway.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { head, rawConnection, type RawConnection } from '../support/raw-connection.ts';

const gateway = await startMeasuredGateway();
const { database, key, log, moved, url } = gateway;
const { key: honestKey } = await createKey(database, { name: 'honest' });
const [HOG, HONEST] = ['1', '2'];
await gateway.request('/v1/pets');
await requestOf(url, honestKey)('/v1/pets');

const REQUESTS = 150;

/** The ids of the keys whose requests were answered, in their order, from here on. */
function answered(): (string | undefined)[] {
  return log
    .text()
    .split('\n')
    .filter((line) => line.includes('"durationMs"'))
    .map((line) => /"keyId":"(\d+)"/.exec(line)?.[1]);
}

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

/** Has a key send all of this at once, and after it another key one request; tells how many were answered before that one. */
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
    what: 'documents to validate',
    request: (index: number) =>
      post('/graphql', JSON.stringify({ query: `{${'pets{id} '.repeat(90)}x${index}}` })),
  },
  {
    what: 'bodies to parse',
    request: (index: number) =>
      post('/v1/pets', `{"name":"${index}","n":[${'1.5e300,'.repeat(4000)}0]}`),
  },
])('who asks for little is answered before the $what of another key', async ({ request }) => {
  const requests = Array.from({ length: REQUESTS }, (_, index) => request(index));
  expect(await answeredBefore(requests, list)).toBeLessThan(REQUESTS * 0.6);
});

test('who waits, and for how long, is a metric by the id of the key, and in the log', async () => {
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
