import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { createKey } from '../../src/auth/key-records.ts';
import { openDatabase } from '../../src/database/client.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startMeasuredService, type MeasuredService } from '../support/measured-service.ts';
import type { Series } from '../support/prometheus-text.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const proxy = await startDatabaseProxy(databaseUrl);
const database = openDatabase(databaseUrl);
afterAll(() => database.$disconnect());
const service = await startMeasuredService({
  DATABASE_URL: proxy.url,
  // What limits count is written now and then, by statements of its own.
  RATE_LIMIT: 'off',
  FAILED_AUTH_LIMIT: 'off',
});
const { send, moved } = service;

/** A header with a key that nobody has used yet. */
async function newKey() {
  return { Authorization: `Bearer ${await createKey(database, 'test', null)}` };
}

/** Each needs a statement of its own at once: to look up its key. */
async function askWithNewKeys(): Promise<number[]> {
  const keys = await Promise.all(Array.from({ length: 13 }, newKey));
  return Promise.all(keys.map((headers) => send('/v1/pets', { headers })));
}

type Values = Readonly<Record<string, number>>;

async function areTold(expected: Values, { scrape }: Scraped): Promise<boolean> {
  const series = await scrape();
  return Object.entries(expected).every(([name, value]) => valueOf(series, name) === value);
}

type Scraped = Pick<MeasuredService, 'scrape'>;

/** Asks for the metrics until they are as expected. */
async function scrapeUntil(expected: Values, scraped: Scraped = service): Promise<void> {
  let asExpected;
  do {
    asExpected = await areTold(expected, scraped);
  } while (!asExpected);
}

/** Whether the metrics are as expected at some time while something is under way. */
async function isSeenDuring(underWay: Promise<unknown>, expected: Values): Promise<boolean> {
  const isOver = underWay.then(() => undefined);
  let seen: boolean | undefined = false;
  while (seen === false) {
    seen = await Promise.race([isOver, areTold(expected, service)]);
  }
  return seen === true;
}

/** Of a series as it is written: its name and the values of its labels, in their order. */
function valueOf(series: readonly Series[], written: string): number | undefined {
  return series.find(({ name, labels }) => [name, ...Object.values(labels)].join(' ') === written)
    ?.value;
}

test('requests that share an answer count each for itself, and what they share as that', async () => {
  await send('/v1/pets');
  const counted = await moved(/_(total|count|sum)\{/, async () => {
    const sent = Array.from({ length: 30 }, () => send('/v1/pets'));
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
  });
  const labels = 'surface=rest operation=listPets http_response_status_code=200';
  expect(counted).toMatchObject({
    [`http_server_request_duration_seconds_count{${labels}}`]: 30,
    'animal_store_authentications_total{outcome=ok}': 30,
  });
  const shared = (place: string, role: string): number =>
    counted[`animal_store_shared_calls_total{place=${place} role=${role}}`] ?? 0;
  expect(shared('answers', 'led') + shared('answers', 'joined')).toBe(30);
  // Each place gives on what it leads, and no more.
  expect(shared('operations', 'led') + shared('operations', 'joined')).toBe(
    shared('answers', 'led'),
  );
  expect(counted['animal_store_statement_calls_sum{}']).toBe(shared('operations', 'led'));
  expect(shared('statements', 'led') + shared('statements', 'joined')).toBe(
    shared('operations', 'led'),
  );
  expect(shared('statements', 'led')).toBe(counted['animal_store_statement_calls_count{}']);
  expect(counted['db_client_operation_duration_seconds_count{db_query_summary=find-pages}']).toBe(
    counted['animal_store_statement_calls_count{}'],
  );
});

test('what is under way is told: requests, connections to the database, waiting for one', async () => {
  onTestFinished(proxy.letGo);
  const used = 'db_client_connection_count keys used';
  const idle = 'db_client_connection_count keys idle';
  const waiting = 'db_client_connection_pending_requests keys';
  let seen = false;
  // Statements give up after 800 ms: on a slow machine that may be over before anyone has looked.
  for (let round = 0; round < 10 && !seen; round += 1) {
    await askWithNewKeys();
    proxy.hold();
    const asked = askWithNewKeys();
    seen = await isSeenDuring(asked, {
      http_server_active_requests: 13,
      [used]: 2,
      [idle]: 0,
      [waiting]: 11,
      'db_client_connection_pending_requests store': 0,
    });
    proxy.letGo();
    await asked;
  }
  expect(seen).toBe(true);
  // There is an idle connection then.
  await send('/v1/pets', { headers: await newKey() });
  await scrapeUntil({
    http_server_active_requests: 0,
    [used]: 0,
    [waiting]: 0,
  });
  const series = await service.scrape();
  expect(valueOf(series, idle)).toBeGreaterThan(0);
  expect(valueOf(series, 'db_client_connection_max keys')).toBe(2);
  expect(valueOf(series, 'db_client_connection_max store')).toBe(10);
});

test('a database that does not answer is told by its statements, by the answers, and by the seconds that both took', async () => {
  const headers = await newKey();
  // From now on this key is known.
  await send('/v1/pets', { headers });
  const started = performance.now();
  const counted = await moved(/_(count|sum)\{.*(error_type|code=503)/, async () => {
    proxy.hold();
    onTestFinished(proxy.letGo);
    expect(await send('/v1/pets?limit=3', { headers })).toBe(503);
    proxy.letGo();
  });
  const elapsed = (performance.now() - started) / 1000;
  const told = [
    'db_client_operation_duration_seconds_sum{db_query_summary=find-pages error_type=unavailable}',
    'http_server_request_duration_seconds_sum{surface=rest operation=listPets http_response_status_code=503}',
  ];
  const seconds = told.map((sum) => counted[sum]);
  expect(counted).toEqual(
    Object.fromEntries(
      told.flatMap((sum, index) => [
        [sum, seconds[index]],
        [sum.replace('_sum{', '_count{'), 1],
      ]),
    ),
  );
  for (const took of seconds) {
    // Statements give up after 0.8 s.
    expect(took).toBeGreaterThan(0.7);
    expect(took).toBeLessThanOrEqual(elapsed);
  }
});

test('open connections are told', async () => {
  const emptyUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using fresh = await startMeasuredService({ DATABASE_URL: emptyUrl });
  const { hostname, port } = new URL(fresh.url);
  const openConnections = async () => valueOf(await fresh.scrape(), 'http_server_open_connections');
  expect(await openConnections()).toBe(0);
  const sockets = [1, 2].map(() => connect(Number(port), hostname));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await scrapeUntil({ http_server_open_connections: 2 }, fresh);
  sockets.forEach((socket) => socket.destroy());
  await scrapeUntil({ http_server_open_connections: 0 }, fresh);
});
