import { generateApiKey } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';

const proxy = await startDatabaseProxy();
const { database, moved, scrape, send } = await startMeasuredGateway({
  databaseUrl: proxy.url,
  // With a limit, the counts would be written by additional statements from time to time.
  rateLimit: undefined,
});

/** Creates keys that have not been used yet; returns each as an Authorization header. */
async function newKeys(count: number) {
  const keys = Array.from({ length: count }, generateApiKey);
  await database.$executeRaw`
    INSERT INTO _gateway_api_keys (name, hash) SELECT 'test', unnest(${keys.map(hashApiKey)}::bytea[])`;
  return keys.map((key) => ({ Authorization: `Bearer ${key}` }));
}

/** Returns the values of these series. A series is written as its name followed by the values of its labels, in order. */
async function valuesOf(names: readonly string[]): Promise<Record<string, number | undefined>> {
  const series = await scrape();
  const told = new Map(
    series.map(({ name, labels, value }) => [[name, ...Object.values(labels)].join(' '), value]),
  );
  return Object.fromEntries(names.map((name) => [name, told.get(name)] as const));
}

/** Waits until the metrics have these values. */
async function expectMetrics(expected: Readonly<Record<string, number>>): Promise<void> {
  await expect.poll(() => valuesOf(Object.keys(expected))).toEqual(expected);
}

test('coalesced requests are each counted, and so is the execution that they share', async () => {
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
  expect(shared('operations', 'led') + shared('operations', 'joined')).toBe(30);
  // Each place forwards exactly the calls that it leads.
  expect(counted['animal_store_statement_calls_sum{}']).toBe(shared('operations', 'led'));
  expect(shared('statements', 'led') + shared('statements', 'joined')).toBe(
    shared('operations', 'led'),
  );
  expect(shared('statements', 'led')).toBe(counted['animal_store_statement_calls_count{}']);
  expect(
    counted['db_client_operation_duration_seconds_count{db_query_summary=Pet.findPages}'],
  ).toBe(counted['animal_store_statement_calls_count{}']);
});

test('undeclared variables do not prevent coalescing', async () => {
  const query = '"query($limit: Int!) { pets(limit: $limit) { id } }"';
  const counted = await moved(/^animal_store_shared_calls_total\{/, async () => {
    const sent = Array.from({ length: 10 }, (_, index) =>
      send('/graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        // If the undeclared variable counted, each operation would be executed separately: doubles cannot hold its
        // values.
        body: `{"query":${query},"variables":{"limit":1,"x":900719925474099${index}9}}`,
      }),
    );
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
  });
  const labels = 'place=operations role=';
  const [led = 0, joined = 0] = ['led', 'joined'].map(
    (role) => counted[`animal_store_shared_calls_total{${labels}${role}}`],
  );
  expect(led + joined).toBe(10);
});

test('requests in flight, database connections and statements waiting for a connection are metrics', async () => {
  // Each request immediately needs its own statement, to look up its key.
  const keys = await newKeys(13);
  proxy.hold();
  const sent = keys.map((headers) => send('/v1/pets', { headers }));
  await expectMetrics({
    http_server_active_requests: 13,
    'db_client_connections keys used': 2,
    'db_client_connections keys idle': 0,
    'db_client_connection_max keys': 2,
    'db_client_connection_max reads': 5,
    'db_client_connection_max writes': 5,
    'db_client_connection_pending_requests keys': 11,
    'db_client_connection_pending_requests reads': 0,
    'db_client_connection_pending_requests writes': 0,
  });
  proxy.letGo();
  expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
  await expectMetrics({
    http_server_active_requests: 0,
    'db_client_connections keys used': 0,
    'db_client_connections keys idle': 2,
    'db_client_connection_pending_requests keys': 0,
  });
});
