import { expect, inject, test } from 'vitest';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startMeasuredService, type MeasuredService } from '../support/measured-service.ts';
import { head, rawConnection } from '../support/raw-connection.ts';
import { beginPost, stopping } from '../support/service.ts';

const newDatabase = () => createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const service = await startMeasuredService({
  DATABASE_URL: await newDatabase(),
  MAX_OPEN_REQUESTS: '2',
});

/** The values of a metric, by those of its labels. */
async function told(name: string, { scrape }: Pick<MeasuredService, 'scrape'> = service) {
  const series = (await scrape()).filter((one) => one.name === name);
  return Object.fromEntries(
    series.map(({ labels, value }) => [Object.values(labels).join(' '), value] as const),
  );
}

const UNREAD = 'animal_store_unread_requests_total';
const unread = (status: number | 'none') => `${UNREAD}{http_response_status_code=${status}}`;
const COUNTS = /(?:^animal_store|^http)\w+_(?:total|count)\{/;
const overloaded = (surface: string) =>
  `http_server_request_duration_seconds_count{surface=${surface} operation=overloaded http_response_status_code=503}`;

test('what is no request is told from the start, as 0 of each status and of those left unanswered', async () => {
  expect(await told(UNREAD)).toEqual({ 400: 0, 405: 0, 408: 0, 431: 0, none: 0 });
});

test.each([
  [400, 'HELO\r\n\r\n'],
  [405, head('CONNECT store:443')],
  [431, head('GET /v1/pets', 'X-Any:'.padEnd(20_000, 'a'))],
])(
  'what is no request and is answered with %i is counted as that, once, and as nothing else',
  async (status, bytes) => {
    const counted = await service.moved(COUNTS, async () => {
      const connection = await rawConnection(service.url);
      connection.send(bytes);
      expect((await connection.last()).map((answer) => answer.status)).toEqual([status]);
    });
    expect(counted).toEqual({ [unread(status)]: 1 });
  },
);

test('requests beyond those that may be open are counted as overloaded, and how many may be is told', async () => {
  expect(await told('http_server_active_requests_max')).toEqual({ '': 2 });
  expect(await told('http_server_open_connections_max')).toEqual({ '': 4000 });
  const begun = [await beginPost(service, '/v1/pets'), await beginPost(service, '/v1/pets')];
  const counted = await service.moved(COUNTS, async () => {
    expect(await service.send('/v1/pets')).toBe(503);
    expect(await service.send('/graphql?query={pets{id}}')).toBe(503);
  });
  begun.forEach((request) => request.once('error', () => undefined).destroy());
  expect(counted).toEqual({ [overloaded('rest')]: 1, [overloaded('graphql')]: 1 });
});

test('connections beyond those that may be open are told: as overloaded, far beyond as left unanswered', async () => {
  const env = { DATABASE_URL: await newDatabase(), MAX_CONNECTIONS: '1' };
  await using few = await startMeasuredService(env);
  expect(await told('http_server_open_connections_max', few)).toEqual({ '': 1 });
  await rawConnection(few.url);
  const counted = await few.moved(COUNTS, async () => {
    const beyond = await rawConnection(few.url);
    beyond.send(head('GET /v1/pets', 'X-Request-Id: beyond'));
    expect((await beyond.last()).map(({ status }) => status)).toEqual([503]);
    await few.child.line('stdout', (line) => line.includes('"requestId":"beyond"'));
  });
  expect(counted).toEqual({ [overloaded('rest')]: 1 });

  let closed = 0;
  const unanswered = await few.moved(COUNTS, async () => {
    // The service has one open already.
    for (let connections = 1; connections < 103; connections += 1) {
      const { ended } = await rawConnection(few.url);
      void ended.then(() => (closed += 1));
    }
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(2);
  });
  expect(unanswered).toEqual({ [unread('none')]: 2 });
});

test('what /readyz said last is told', async () => {
  await using proxy = await startDatabaseProxy(await newDatabase());
  await using watched = await startMeasuredService({ DATABASE_URL: proxy.url });
  const readiness = async () => (await fetch(`${watched.url}/readyz`)).status;
  const ready = () => told('animal_store_ready', watched);
  expect(await ready()).toEqual({});
  expect([await readiness(), await ready()]).toEqual([200, { '': 1 }]);
  proxy.hold();
  // What the database said last holds for a moment.
  await expect.poll(readiness, { timeout: 10_000 }).toBe(503);
  expect(await ready()).toEqual({ '': 0 });
  proxy.letGo();
  await expect.poll(readiness, { timeout: 10_000 }).toBe(200);
  expect(await ready()).toEqual({ '': 1 });
  watched.child.kill('SIGTERM');
  await stopping(watched);
  expect([await readiness(), await ready()]).toEqual([503, { '': 0 }]);
});
