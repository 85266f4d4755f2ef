import { generateApiKey } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { openPost } from '../support/node-request.ts';
import { failedStart } from '../support/service.ts';

const gateway = await startMeasuredGateway();
const { database, key, log, metricsUrl, moved, scrape, send, url } = gateway;

// With this media type, GraphQL reports errors with the HTTP status, too.
const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/graphql-response+json, application/json',
};
const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: HEADERS,
  body: JSON.stringify(body),
});
const graphql = (query: string, more: object = {}): [string, RequestInit] => [
  '/graphql',
  post({ query, ...more }),
];

const REQUESTS = /^http_server_request_duration_seconds_count/;
const PET = { name: 'Rex', categoryId: 1 };
const CREATE = 'mutation { createPet(input: {name: "Rex", categoryId: 1}) { id } }';
const WRONG = { variables: { n: 'x' } };
const FRAGMENT = 'query Any { ...F } fragment F on Query { pets { id } }';

test.each<[string, string, number, string, RequestInit?]>([
  ['rest', 'listPets', 200, '/v1/pets'],
  ['rest', 'listPets', 400, '/v1/pets?limit=0'],
  ['rest', 'listPets', 200, '/v1/pets', { method: 'HEAD' }],
  ['rest', 'createPet', 201, '/v1/pets', post(PET)],
  ['rest', 'createPet', 415, '/v1/pets', { method: 'POST', body: 'Rex' }],
  ['rest', 'getPet', 404, '/v1/pets/0'],
  ['rest', 'other', 404, '/v1/animals'],
  ['rest', 'other', 405, '/v1/pets', { method: 'DELETE' }],
  ['rest', 'other', 200, '/v1/openapi.json'],
  ['graphql', 'pets', 200, ...graphql('query A { b: pets { id } }', { operationName: 'A' })],
  ['graphql', 'pets', 200, ...graphql(FRAGMENT)],
  ['graphql', 'pet', 200, '/graphql?query={pet(id:0){id}}'],
  ['graphql', 'createPet', 200, ...graphql(CREATE)],
  ['graphql', '__schema', 200, ...graphql('{ __schema { queryType { name } } }')],
  ['graphql', 'several', 200, ...graphql('{ pets { id } petsConnection { nodes { id } } }')],
  ['graphql', 'pets', 422, ...graphql('query ($n: Int) { pets(limit: $n) { id } }', WRONG)],
  ['graphql', 'invalid', 422, ...graphql('{ nonsense }')],
  ['graphql', 'pet', 294, ...graphql('{ pet(id: 0) { id } }')],
  ['graphql', 'invalid', 400, ...graphql('{')],
  ['graphql', 'other', 401, '/graphql?query={pets{id}}', { headers: { Authorization: 'none' } }],
  ['graphql', 'other', 405, '/graphql', { method: 'PUT' }],
  ['other', 'other', 200, '/'],
  ['other', 'other', 404, '/graphqls'],
  ['other', 'other', 404, '/v1pets'],
])(
  'a %s request for %s that returns %i is counted once: %s',
  async (surface, operation, status, path, init) => {
    const counted = await moved(REQUESTS, async () => {
      expect(await send(path, init)).toBe(status);
    });
    expect(counted).toEqual({
      [`http_server_request_duration_seconds_count{surface=${surface} operation=${operation} http_response_status_code=${status}}`]: 1,
    });
  },
);

test('an internal error in a response with a success status is counted with its error type', async () => {
  await database.$executeRaw`ALTER TABLE pets RENAME COLUMN category_id TO category`;
  const [path, init] = graphql('{ pets { categoryId } }');
  const labels = 'surface=graphql operation=pets http_response_status_code=294';
  const counted = await moved(REQUESTS, async () => {
    expect(await send(path, init)).toBe(294);
  });
  expect(counted).toEqual({
    [`http_server_request_duration_seconds_count{${labels} error_type=INTERNAL_SERVER_ERROR}`]: 1,
  });
  const shared = await moved(REQUESTS, () =>
    Promise.all(
      Array.from({ length: 10 }, () =>
        send('/graphql?query={pets{categoryId}}', {
          headers: { Accept: 'application/graphql-response+json' },
        }),
      ),
    ),
  );
  expect(shared).toEqual({
    [`http_server_request_duration_seconds_count{${labels} error_type=INTERNAL_SERVER_ERROR}`]: 10,
  });
  await database.$executeRaw`ALTER TABLE pets RENAME COLUMN category TO category_id`;
});

test('an aborted request is counted without a status', async () => {
  const counted = await moved(REQUESTS, async () => {
    const opened = await openPost(gateway, '/v1/pets');
    opened.once('error', () => undefined).destroy();
    await log.line((line) => line.includes('"aborted":true'));
  });
  expect(counted).toEqual({
    'http_server_request_duration_seconds_count{surface=rest operation=createPet http_response_status_code=none}': 1,
  });
});

const { key: expired } = await createKey(database, { name: 'expired', expiresAt: new Date(0) });

test.each([
  ['ok', `Bearer ${key}`],
  ['no_key', 'none'],
  ['no_key', `Basic ${key}`],
  ['malformed', `Bearer ${key}x`],
  ['unknown', `Bearer ${generateApiKey()}`],
  ['expired', `Bearer ${expired}`],
])(
  'an authentication with the outcome %s is counted under that outcome',
  async (outcome, Authorization) => {
    for (const path of ['/v1/pets', '/graphql?query={pets{id}}', '/v1/pets/1']) {
      const counted = await moved(/^animal_store_authentications/, () =>
        send(path, { headers: { Authorization } }),
      );
      expect(counted).toEqual({ [`animal_store_authentications_total{outcome=${outcome}}`]: 1 });
    }
  },
);

test('a request for a public page is not counted as an authentication', async () => {
  expect(await moved(/^animal_store_authentications/, () => send('/docs'))).toEqual({});
});

test('a statement is counted and timed under its name', async () => {
  const counted = await moved(/^(db_client_operation|animal_store_statement)\w+(count|sum)/, () =>
    send('/v1/pets', post(PET)),
  );
  const summary = 'db_query_summary=Pet.createAll';
  expect(counted).toMatchObject({
    [`db_client_operation_duration_seconds_count{${summary}}`]: 1,
    [`db_client_operation_duration_seconds_sum{${summary}}`]: expect.any(Number) as unknown,
    'animal_store_statement_calls_count{}': 1,
    'animal_store_statement_calls_sum{}': 1,
  });
});

test.each([
  ['findMany=statement', () => send('/v1/pets')],
  ['findMany=statement', () => send('/graphql?query={pets(status:sold){name}}')],
  ['findUnique=statement', () => send('/v1/pets/1')],
  ['create=statement', () => send('/v1/pets', post(PET))],
  ['createOnce=statement', () => send(...graphql(CREATE.replace('(', '(idempotencyKey: "a", ')))],
  ['findMany=engine', () => database.pet.findMany({ where: { name: { contains: 'x' } } })],
  ['count=engine', () => database.pet.count()],
])('a database client call is counted by what executes it: %s', async (call, make) => {
  const [operation, by] = call.split('=');
  expect(await moved(/^animal_store_database_calls/, make)).toEqual({
    [`animal_store_database_calls_total{model=Pet operation=${operation} answered_by=${by}}`]: 1,
  });
});

test('deprecated calls to both APIs are counted by field and key', async () => {
  const counted = await moved(/^animal_store_deprecated_calls/, async () => {
    await send('/v1/pets/0');
    await send(...graphql('{ a: pet(id: 0) { id } b: pet(id: 1) { id } }'));
  });
  expect(counted).toEqual({ 'animal_store_deprecated_calls_total{key_id=1 field=pet}': 3 });
});

test('the removal date of a deprecated field is a metric', async () => {
  const series = await scrape();
  expect(series.filter(({ name }) => name.includes('removal'))).toEqual([
    {
      name: 'animal_store_deprecated_field_removal_timestamp_seconds',
      labels: { field: 'pet' },
      value: Date.UTC(2030, 11, 5) / 1000,
    },
  ]);
});

test('the buckets of a histogram range from 0.5 ms to 10 s, and the last one holds its total count', async () => {
  await send('/v1/pets');
  const labels = { surface: 'rest', operation: 'listPets', http_response_status_code: '200' };
  const series = (await scrape()).filter(
    ({ labels: { le: _le, ...others } }) => JSON.stringify(others) === JSON.stringify(labels),
  );
  const of = (end: string) =>
    series.filter(({ name }) => name === `http_server_request_duration_seconds_${end}`);
  const [count] = of('count');
  const buckets = of('bucket');
  expect(buckets.map(({ labels: { le } }) => le)).toEqual(
    '0.0005 0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf'.split(' '),
  );
  const values = buckets.map(({ value }) => value);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  expect(values.at(-1)).toBe(count?.value);
});

test("the process's build, start time and memory are metrics", async () => {
  const series = await scrape();
  const valueOf = (name: string) => series.find((one) => one.name === name)?.value ?? NaN;
  expect(series.find(({ name }) => name === 'animal_store_build_info')).toEqual({
    name: 'animal_store_build_info',
    labels: { version: '1.0.0', nodejs_version: process.versions.node },
    value: 1,
  });
  expect(valueOf('process_start_time_seconds')).toBeCloseTo(performance.timeOrigin / 1000, 0);
  const used = valueOf('v8js_memory_heap_used_bytes');
  expect(used).toBeGreaterThan(1_000_000);
  expect(valueOf('process_resident_memory_bytes')).toBeGreaterThan(used);
  expect(valueOf('v8js_memory_heap_limit_bytes')).toBeGreaterThan(used);
});

test('GET /metrics returns the Prometheus text format without requiring a key', async () => {
  const answer = await fetch(`${metricsUrl}?any=query`);
  const text = await answer.text();
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'content-length': String(text.length),
    'x-content-type-options': 'nosniff',
  });
  expect(text).toContain(
    '# HELP http_server_active_requests Requests in flight.\n# TYPE http_server_active_requests gauge\nhttp_server_active_requests 0\n',
  );
  const head = await fetch(metricsUrl, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(Number(head.headers.get('Content-Length'))).toBeGreaterThan(1000);
});

test.each([
  ['POST', '/metrics', 405],
  ['DELETE', '/metrics', 405],
  ['OPTIONS', '/metrics', 405],
  ['GET', '/', 404],
  ['GET', '/metrics/', 404],
  ['GET', '/metric', 404],
  ['GET', '/v1/pets', 404],
  ['GET', '/graphql', 404],
])('%s %s on METRICS_PORT returns %i', async (method, path, status) => {
  const answer = await fetch(new URL(path, metricsUrl), { method });
  const allow = status === 405 ? 'GET, HEAD' : null;
  expect([answer.status, answer.headers.get('Allow')]).toEqual([status, allow]);
});

test('/metrics on PORT returns 404', async () => {
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
});

test("startup fails if METRICS_PORT is in use or METRICS_HOST is another machine's address", async () => {
  const port = String(await listenLocally());
  expect(await failedStart({ METRICS_PORT: port })).toBe(
    `METRICS_PORT: 127.0.0.1:${port} is already in use; set METRICS_PORT to a free port`,
  );
  // A documentation address, which no machine has (RFC 5737).
  expect(await failedStart({ METRICS_HOST: '192.0.2.1', METRICS_PORT: '0' })).toBe(
    'METRICS_HOST: cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL); set METRICS_HOST to an address of this machine',
  );
});
