import { generateApiKey } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import {
  newTrace,
  startTracedService,
  type Sent,
  attributesOf,
  treeOf,
  type Span,
} from '../support/collector.ts';
import { connectClient } from '../support/connect-client.ts';
import { traceIdIn } from '../../packages/http/src/request-head.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const { child, collector, databaseUrl, key, linesOf, loggedTraceOf, spansOf, traceOf, url } =
  await startTracedService();

const CREATE = { name: 'Rex', categoryId: 1 };
const MUTATION = 'mutation add { createPet(input: { name: "Rex", categoryId: 1 }) { id } }';

type Operation = readonly [type: string, name?: string, error?: string];

test.each<[path: string, tree: string, operation?: Operation | undefined, sent?: Sent]>([
  [
    '/v1/pets?limit=3',
    'GET /v1/pets > query > Query.petsConnection > Pet.findPages',
    ['query', 'listPets'],
  ],
  [
    '/v1/pets',
    'POST /v1/pets > mutation > Mutation.createPet > Pet.createAll',
    ['mutation', 'createPet'],
    { method: 'POST', body: CREATE },
  ],
  ['/v1/pets/1', 'GET /v1/pets/{petId} > query > Query.pet > Pet.findByIds', ['query', 'getPet']],
  [
    '/graphql',
    'POST /graphql > query > Query.pets > Pet.findPages',
    ['query'],
    { method: 'POST', body: { query: '{ pets { id name status } }' } },
  ],
  [
    '/graphql',
    'POST /graphql > mutation > Mutation.createPet > Pet.createAll',
    ['mutation', 'add'],
    { method: 'POST', body: { query: MUTATION } },
  ],
  [
    '/v1/pets?limit=0',
    'GET /v1/pets > query > Query.petsConnection',
    ['query', 'listPets', 'BAD_USER_INPUT'],
  ],
  ['/graphql?query={__typename}', 'GET /graphql > query', ['query']],
  ['/graphql?query={none}', 'GET /graphql'],
  ['/livez/no', 'GET'],
  ['/v1/pets', 'DELETE /v1/pets', undefined, { method: 'DELETE' }],
])(
  'the spans of %s are %s, even when the operation is compiled',
  async (path, tree, operation, sent) => {
    const [type, name, error] = operation ?? [];
    // The third execution uses the compiled program.
    for (let time = 1; time <= 3; time += 1) {
      const { spans } = await traceOf(path, sent);
      const nested = tree.split(' > ').map((span, depth) => '  '.repeat(depth) + span);
      expect(treeOf(spans)).toEqual(nested);
      const executed = spans.find((span) => span.name === 'query' || span.name === 'mutation');
      expect(executed && attributesOf(executed)).toEqual(
        type && {
          'graphql.operation.type': type,
          ...(name && { 'graphql.operation.name': name }),
          ...(error && { 'error.type': error }),
        },
      );
    }
  },
);

test('spans have the attributes of the semantic conventions and no others', async () => {
  const { server, spans } = await traceOf('/v1/pets/1?key=secret');
  expect(attributesOf(server)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/v1/pets/{petId}',
    'url.path': '/v1/pets/1',
    'url.scheme': 'http',
    'network.protocol.version': '1.1',
    'http.response.status_code': 200,
  });
  const statement = spans.find(({ name }) => name === 'Pet.findByIds');
  expect(statement).toMatchObject({ kind: 3, status: { code: 0 } });
  expect(statement && attributesOf(statement)).toEqual({
    'db.system.name': 'postgresql',
    'db.query.summary': 'Pet.findByIds',
  });
  expect(collector.resource()).toMatchObject({ 'service.name': 'animal-store-gateway' });
});

test('a span has an event for each database client call', async () => {
  const { spans } = await traceOf('/v1/pets?limit=2');
  const events = spans.flatMap(({ name, events: [...ofSpan] }) =>
    ofSpan.map((event) => [name, event.name, attributesOf(event)]),
  );
  const call = {
    'db.collection.name': 'Pet',
    'db.operation.name': 'findMany',
    'db.answered_by': 'statement',
  };
  expect(events).toEqual([['Query.petsConnection', 'database call', call]]);
});

test('the span of a request whose target includes a server address has only the path', async () => {
  const { traceId, traceparent } = newTrace();
  const connection = await rawConnection(url);
  const target = 'http://store/nowhere?key=secret';
  connection.send(head(`GET ${target}`, `traceparent: ${traceparent}`));
  await connection.answers(1);
  const [span] = await collector.trace(traceId);
  expect(span && attributesOf(span)).toMatchObject({ 'url.path': '/nowhere' });
});

test("the lookup of a key is a span within its request's trace", async () => {
  const headers = { Authorization: `Bearer ${generateApiKey()}` };
  const { status, traceId, server } = await traceOf('/v1/pets', { headers });
  expect(status).toBe(401);
  expect(attributesOf(server)).toMatchObject({ 'http.response.status_code': 401 });
  expect(treeOf(await collector.trace(traceId))).toEqual(['GET /v1/pets', '  find-key-by-hash']);
});

const outcomeOf = ({ name, status, ...span }: Span) => [
  name,
  attributesOf(span)['error.type'],
  status.code,
];

test('the spans of a 404 have its error code but are not marked as failed', async () => {
  const { spans, server } = await traceOf('/v1/pets/999');
  expect(spans.map(outcomeOf)).toEqual([
    ['Pet.findByIds', undefined, 0],
    ['Query.pet', 'NOT_FOUND', 0],
    ['query', 'NOT_FOUND', 0],
    ['GET /v1/pets/{petId}', undefined, 0],
  ]);
  expect(attributesOf(server)['http.response.status_code']).toBe(404);
});

/** Traces a request while reads of animals fail, as they would after a manual schema change. */
async function traceOfFailure(path: string, sent?: Sent) {
  const client = await connectClient(databaseUrl);
  await client.query('ALTER TABLE pets RENAME COLUMN category_id TO category');
  const trace = await loggedTraceOf(path, sent);
  await client.query('ALTER TABLE pets RENAME COLUMN category TO category_id');
  return trace;
}

test('the spans of a failed request have its error code, and its log lines have the trace id', async () => {
  const { spans, lines, traceId } = await traceOfFailure('/v1/pets?limit=9');
  expect(spans.map(outcomeOf)).toEqual([
    ['Pet.findPages', '42703', 2],
    ['Query.petsConnection', '42703', 2],
    ['query', 'INTERNAL_SERVER_ERROR', 2],
    ['GET /v1/pets', '500', 2],
  ]);
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'unexpected error', traceId }),
    expect.objectContaining({ msg: 'request', traceId }),
  ]);
});

test('the span of a failure in a response with a success status has the error code', async () => {
  const { server } = await traceOfFailure('/graphql?query={pets(limit:7){categoryId}}', {
    headers: { Accept: 'application/graphql-response+json' },
  });
  expect(server.status).toEqual({ code: 2 });
  expect(attributesOf(server)).toMatchObject({
    'http.response.status_code': 294,
    'error.type': 'INTERNAL_SERVER_ERROR',
  });
});

test('traces do not contain documents, values, query strings or headers', async () => {
  const secrets = ['Zebulon', '987654321', 'aliased', 'searched', 'headed', 'Idempotent-1'];
  const [name = '', category = '', alias, query, header = '', idempotencyKey = ''] = secrets;
  const document = `mutation { ${alias}: createPet(input: { name: "${name}", categoryId: ${category} }) { id } }`;
  const headers = {
    'Idempotency-Key': idempotencyKey,
    'User-Agent': header,
    Referer: `http://${header}/`,
    Baggage: `a=${header}`,
  };
  const graphql = `/graphql?x=${query}`;
  expect(
    await traceOf(graphql, { method: 'POST', body: { query: document }, headers }),
  ).toMatchObject({
    status: 200,
  });
  const rest = { method: 'POST', body: { name, categoryId: Number(category) }, headers };
  expect(await traceOf(`/v1/pets?x=${query}`, rest)).toMatchObject({ status: 201 });
  expect(await traceOf(`/v1/pets?status=${query}`, { headers })).toMatchObject({ status: 400 });
  const everything = collector.received();
  expect(everything).toContain('Pet.createAllOnce');
  const told = ['SELECT', 'createPet(', ...secrets].filter((text) => everything.includes(text));
  expect(told).toEqual([]);
});

test.each([
  ['the key of the caller', key],
  ['an unknown key', generateApiKey()],
])('no trace contains %s, wherever it was sent', async (_which, sent) => {
  const query = `query ${sent} { pets { ...${sent} } } fragment ${sent} on Pet { id }`;
  const statuses = [
    (await traceOf(`/v1/pets/${sent}`)).status,
    (await traceOf(`/${sent}?key=${sent}`)).status,
    (await traceOf(`/${sent.replace('_', '%5F')}`)).status,
    (await traceOf('/graphql', { method: 'POST', body: { query, operationName: sent } })).status,
    (await traceOf('/v1/pets', { headers: { Authorization: `Bearer ${sent}x`, Cookie: sent } }))
      .status,
    (await traceOf('/v1/pets', { headers: { 'User-Agent': sent, Baggage: `key=${sent}` } })).status,
  ];
  expect(statuses).toEqual([404, 404, 404, 200, 401, 200]);
  // A span whose name was redacted shows that the right requests were examined.
  expect(collector.received()).toContain('/v1/pets/asg_…');
  expect(collector.received()).not.toContain(sent.slice(8, 40));
});

const KEY = `Authorization: Bearer ${key}`;

test("traceparent and tracestate determine a span's trace and parent", async () => {
  const { traceId, traceparent } = newTrace();
  const headers = { traceparent, tracestate: 'shop=1,b=2' };
  const { server, ...told } = await loggedTraceOf('/v1/pets', { headers });
  expect(told.traceId).toBe(traceId);
  expect(server).toMatchObject({ parentSpanId: '00f067aa0ba902b7', traceState: 'shop=1,b=2' });
});

test('a trace that is not sampled is logged but not exported', async () => {
  const { traceId, traceparent } = newTrace(false);
  const headers = { traceparent, 'X-Request-Id': 'unsampled', Authorization: `Bearer ${key}` };
  await fetch(`${url}/v1/pets`, { headers });
  expect(await linesOf('unsampled')).toEqual([expect.objectContaining({ traceId })]);
  // Spans are exported in order: when this trace has arrived, all earlier ones have too.
  await traceOf('/v1/pets');
  expect(collector.spans().filter((span) => span.traceId === traceId)).toEqual([]);
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const INVALID = [
  `ff-${TRACE}-00f067aa0ba902b7-01`,
  `00-${TRACE}-00f067aa0ba902b7-01-more`,
  `00-${TRACE}-00f067aa0ba902b7-01-`,
  `00-${TRACE}-0000000000000000-01`,
  `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
  `00-${TRACE}-00f067aa0ba902b7`,
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  TRACE,
];

test('a request without a valid traceparent begins a new trace', async () => {
  const headers = [{}, ...INVALID.map((traceparent) => ({ traceparent }))];
  const sent = headers.map((each) => loggedTraceOf('/v1/pets', { headers: each }));
  for (const { traceId, server } of await Promise.all(sent)) {
    expect(traceId).toMatch(/^(?!0{32})[\da-f]{32}$/);
    expect(traceId).not.toBe(TRACE);
    expect(server.parentSpanId).toBeUndefined();
  }
});

test('the log reads traceparent the same way as tracing does', () => {
  const valid = [`00-${TRACE}-00f067aa0ba902b7-00`, `cc-${TRACE}-00f067aa0ba902b7-01-more`];
  expect(valid.map(traceIdIn)).toEqual([TRACE, TRACE]);
  expect(INVALID.filter(traceIdIn)).toEqual([]);
  expect(traceIdIn(undefined)).toBeUndefined();
});

interface Sampled {
  readonly path: string;
  readonly isSampled?: boolean;
}

/** Sends requests, each with its own trace, so that they arrive at once. Returns the trace ids. */
async function sendAtOnce(requests: readonly Sampled[]): Promise<string[]> {
  const exchanges = [];
  for (const { path, isSampled } of requests) {
    const connection = await rawConnection(url);
    // From now on, the key is cached.
    connection.send(head('GET /v1/pets', KEY));
    await connection.answers(1);
    const { traceId, traceparent } = newTrace(isSampled);
    const request = head(`GET ${path}`, KEY, `traceparent: ${traceparent}`);
    exchanges.push({ connection, request, traceId });
  }
  child.kill('SIGSTOP');
  for (const { connection, request } of exchanges) {
    await new Promise((resolve) => connection.socket.write(request, resolve));
  }
  child.kill('SIGCONT');
  for (const { connection } of exchanges) {
    const [, answer] = await connection.answers(2);
    expect(answer?.status).toBe(200);
  }
  return exchanges.map(({ traceId }) => traceId);
}

async function tracesOf(requests: readonly Sampled[]): Promise<(readonly Span[])[]> {
  const traceIds = await sendAtOnce(requests);
  return Promise.all(traceIds.map(spansOf));
}

test.each([
  { path: '/v1/pets', route: 'GET /v1/pets' },
  { path: '/graphql?query={pets{id}}', route: 'GET /graphql' },
])('an operation that joins another execution links to it: $path', async ({ path, route }) => {
  const tree = [route, '  query', '    joined'];
  let spans: readonly Span[] = [];
  let joined: readonly (readonly Span[])[] = [];
  const send = async () => {
    const traces = await tracesOf(Array.from({ length: 20 }, () => ({ path })));
    spans = traces.flat();
    joined = traces.filter((trace) => treeOf(trace).join() === tree.join());
    return joined.length;
  };
  // The first request is already in flight when the second arrives. The second leads those whose turn comes before its
  // statement is sent.
  await expect.poll(send).toBeGreaterThan(9);
  for (const trace of joined) {
    const links = trace.flatMap((span) => span.links);
    const linked = spans.filter((span) => links.some(({ spanId }) => spanId === span.spanId));
    expect(linked.map(({ name }) => name)).toEqual(['query']);
    // On a busy machine, two leaders may share a statement, which is in one trace and links to the other.
    const statements = spans.filter(({ name }) => name === 'Pet.findPages');
    const traceIds = statements.flatMap((span) => [span, ...span.links].map((of) => of.traceId));
    expect(traceIds).toContain(linked[0]?.traceId);
  }
  const routes = spans.map((span) => attributesOf(span)['http.route']).filter(Boolean);
  expect(new Set(routes)).toEqual(new Set([path.split('?')[0]]));
  expect(routes).toHaveLength(20);
});

test('a statement that several resolvers share is a child of one and links to the others', async () => {
  const document = '{ a: pets(limit: 1) { id } b: pets(limit: 2) { id } }';
  const [spans = []] = await tracesOf([{ path: `/graphql?query=${encodeURIComponent(document)}` }]);
  expect(treeOf(spans).toSorted()).toEqual([
    '      Pet.findPages',
    '    Query.pets',
    '    Query.pets',
    '  query',
    'GET /graphql',
  ]);
  const statement = spans.find(({ name }) => name === 'Pet.findPages');
  const resolvers = spans.filter(({ name }) => name === 'Query.pets');
  const others = resolvers.filter(({ spanId }) => spanId !== statement?.parentSpanId);
  expect(statement?.links).toMatchObject(
    others.map(({ traceId, spanId }) => ({ traceId, spanId })),
  );
  expect(others).toHaveLength(1);
});

test('a statement belongs to the first sampled trace among its requests', async () => {
  const sampled = new Set([1, 3]);
  let first: readonly Span[] = [];
  let second: readonly Span[] = [];
  const send = async () => {
    const traceIds = await sendAtOnce(
      Array.from({ length: 20 }, (_, index) => ({
        path: `/v1/pets?limit=${index + 1}`,
        isSampled: sampled.has(index),
      })),
    );
    [first = [], second = []] = await Promise.all(
      Array.from(sampled, (index) => spansOf(traceIds[index] ?? '')),
    );
    return second.map(({ name }) => name);
  };
  // A request's turn may come after the others' statement was sent.
  await expect.poll(send).not.toContain('Pet.findPages');
  const resolved = ['GET /v1/pets', '  query', '    Query.petsConnection'];
  expect(treeOf(first)).toEqual([...resolved, '      Pet.findPages']);
  expect(treeOf(second)).toEqual(resolved);
  const linked = first.flatMap(({ links }) => links);
  expect(linked.map(({ spanId }) => spanId)).toEqual(
    second.filter(({ name }) => name === 'Query.petsConnection').map(({ spanId }) => spanId),
  );
});
