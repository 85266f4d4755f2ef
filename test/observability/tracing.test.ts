import { generateApiKey } from '../support/store-database.ts';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { attributesOf, treeOf } from '../support/collector.ts';
import { head, rawConnection } from '../support/raw-connection.ts';
import { newTrace, startTracedService, type Sent } from '../support/traced-service.ts';

const { collector, databaseUrl, key, loggedTraceOf, traceOf, url } = await startTracedService();

const CREATE = { name: 'Rex', categoryId: 1 };
const MUTATION = 'mutation add { createPet(input: { name: "Rex", categoryId: 1 }) { id } }';

test.each<{ path: string; sent?: Sent; tree: string[]; operation?: object }>([
  {
    path: '/v1/pets?limit=3',
    tree: ['GET /v1/pets', '  query', '    Query.petsConnection', '      Pet.findPages'],
    operation: { 'graphql.operation.type': 'query', 'graphql.operation.name': 'listPets' },
  },
  {
    path: '/v1/pets',
    sent: { method: 'POST', body: CREATE },
    tree: ['POST /v1/pets', '  mutation', '    Mutation.createPet', '      Pet.createAll'],
    operation: { 'graphql.operation.type': 'mutation', 'graphql.operation.name': 'createPet' },
  },
  {
    path: '/v1/pets/1',
    tree: ['GET /v1/pets/{petId}', '  query', '    Query.pet', '      Pet.findByIds'],
    operation: { 'graphql.operation.type': 'query', 'graphql.operation.name': 'getPet' },
  },
  {
    path: '/graphql',
    sent: { method: 'POST', body: { query: '{ pets { id name status } }' } },
    tree: ['POST /graphql', '  query', '    Query.pets', '      Pet.findPages'],
    operation: { 'graphql.operation.type': 'query' },
  },
  {
    path: '/graphql',
    sent: { method: 'POST', body: { query: MUTATION } },
    tree: ['POST /graphql', '  mutation', '    Mutation.createPet', '      Pet.createAll'],
    operation: { 'graphql.operation.type': 'mutation', 'graphql.operation.name': 'add' },
  },
  {
    path: '/v1/pets?limit=0',
    tree: ['GET /v1/pets', '  query', '    Query.petsConnection'],
    operation: {
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'listPets',
      'error.type': 'BAD_USER_INPUT',
    },
  },
  {
    path: '/graphql?query={__typename}',
    tree: ['GET /graphql', '  query'],
    operation: { 'graphql.operation.type': 'query' },
  },
  { path: '/graphql?query={none}', tree: ['GET /graphql'] },
  { path: '/livez/no', tree: ['GET'] },
  { path: '/v1/pets', sent: { method: 'DELETE' }, tree: ['DELETE /v1/pets'] },
])(
  '$path is $tree, whether graphql-js or a compiled program executes it',
  async ({ path, sent, tree, operation }) => {
    // The third time by a compiled program.
    for (let time = 1; time <= 3; time += 1) {
      const { spans } = await traceOf(path, sent);
      expect(treeOf(spans)).toEqual(tree);
      const executed = spans.find(({ name }) => name === 'query' || name === 'mutation');
      expect(executed && attributesOf(executed)).toEqual(operation);
    }
  },
);

test('spans say what semantic conventions ask for, and nothing else', async () => {
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

test('a span has an event for each call of the database client, which says what answered it', async () => {
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

test('of a target with the address of a server, as proxies are sent, a span says the path alone', async () => {
  const { traceId, traceparent } = newTrace();
  const connection = await rawConnection(url);
  const target = 'http://store/nowhere?key=secret';
  connection.send(head(`GET ${target}`, `traceparent: ${traceparent}`));
  await connection.answers(1);
  const [span] = await collector.trace(traceId);
  expect(span && attributesOf(span)).toMatchObject({ 'url.path': '/nowhere' });
});

test('a key that is looked up is a statement of the request', async () => {
  const headers = { Authorization: `Bearer ${generateApiKey()}` };
  const { status, traceId, server } = await traceOf('/v1/pets', { headers });
  expect(status).toBe(401);
  expect(attributesOf(server)).toMatchObject({ 'http.response.status_code': 401 });
  expect(treeOf(await collector.trace(traceId))).toEqual(['GET /v1/pets', '  find-key-by-hash']);
});

test('what was not found is told by its code, and is no failure', async () => {
  const { spans, server } = await traceOf('/v1/pets/999');
  const told = spans.map(({ name, status, ...span }) => [
    name,
    attributesOf(span)['error.type'],
    status.code,
  ]);
  expect(told).toEqual([
    ['Pet.findByIds', undefined, 0],
    ['Query.pet', 'NOT_FOUND', 0],
    ['query', 'NOT_FOUND', 0],
    ['GET /v1/pets/{petId}', undefined, 0],
  ]);
  expect(attributesOf(server)['http.response.status_code']).toBe(404);
});

test('a failure is told by its code, and the log by its trace', async () => {
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query('ALTER TABLE pets RENAME COLUMN category_id TO category');
  const { spans, lines, traceId } = await loggedTraceOf('/v1/pets?limit=9');
  await client.query('ALTER TABLE pets RENAME COLUMN category TO category_id');
  await client.end();
  const told = spans.map(({ name, status, ...span }) => [
    name,
    attributesOf(span)['error.type'],
    status,
  ]);
  expect(told).toEqual([
    ['Pet.findPages', '42703', { code: 2 }],
    ['Query.petsConnection', '42703', { code: 2 }],
    ['query', 'INTERNAL_SERVER_ERROR', { code: 2 }],
    ['GET /v1/pets', '500', { code: 2 }],
  ]);
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'unexpected error', traceId }),
    expect.objectContaining({ msg: 'request', traceId }),
  ]);
});

test('a failure behind a status of success is told by its code', async () => {
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query('ALTER TABLE pets RENAME COLUMN category_id TO category');
  const { server, status } = await traceOf('/graphql?query={pets(limit:7){categoryId}}', {
    headers: { Accept: 'application/graphql-response+json' },
  });
  await client.query('ALTER TABLE pets RENAME COLUMN category TO category_id');
  await client.end();
  expect(status).toBe(294);
  expect(server.status).toEqual({ code: 2 });
  expect(attributesOf(server)).toMatchObject({
    'http.response.status_code': 294,
    'error.type': 'INTERNAL_SERVER_ERROR',
  });
});

test('no document, value, query string or header is exported', async () => {
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
  ['the one that is used', key],
  ['another one', generateApiKey()],
])('no trace has a key in it, %s, wherever it was sent', async (_which, sent) => {
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
  // Of a name that was hidden, so that the right requests were looked at.
  expect(collector.received()).toContain('/v1/pets/asg_…');
  expect(collector.received()).not.toContain(sent.slice(8, 40));
});
