import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { createKey } from '../support/keys.ts';
import { startGateway, PATIENT } from '../support/gateway.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';
import {
  addExamples,
  answerFaults,
  at,
  documentedOf,
  object,
  operations,
  type DocumentedOperation,
} from '../support/openapi.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { connectClient } from '../support/connect-client.ts';
import { newDatabase } from '../support/new-database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

/** Starts a gateway whose stored tables are locked, so that its requests time out. Also returns the tables' names. */
async function startStuckGateway() {
  const gateway = await startGateway({
    databaseTimeouts: { ...PATIENT.databaseTimeouts, statement: 2000 },
  });
  const lock = await connectClient(gateway.databaseUrl, onFileFinished);
  /** The store's tables, without the gateway's own tables for keys, limits and so on. */
  const stored = await lock.query<{ tables: string }>(`
    SELECT string_agg(quote_ident(tablename), ', ') AS tables FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', '_gateway_migrations', '_gateway_api_keys',
      '_gateway_deprecated_calls', '_gateway_idempotency_keys', '_gateway_rate_limit_counts', '_gateway_trusted_documents')`);
  const tables = stored.rows[0]?.tables ?? '';
  await lock.query('BEGIN');
  await lock.query(`LOCK TABLE ${tables}`);
  return { gateway, tables };
}

/** Starts a gateway whose database can no longer be reached. */
async function startCutOffGateway() {
  const proxy = await startDatabaseProxy(await newDatabase());
  const gateway = await startGateway({ databaseUrl: proxy.url });
  await proxy[Symbol.asyncDispose]();
  return gateway;
}

/** Returns the names of all `rel="…"` in a value. */
function relationsIn(something: unknown): Set<string | undefined> {
  const text = JSON.stringify(something ?? '').replaceAll('\\"', '"');
  return new Set(Array.from(text.matchAll(/rel="([^"]+)"/g), ([, relation]) => relation));
}

/** Options with a clock that stands still. */
const ONCE = { now: () => 0 };

const store = await startGateway();
// Two rows of each kind, so that each list has more than one page, and then rows that only the removals use.
const bodies = await addExamples(store, 2);
const [removed, removedOnce, kept] = ['3', '4', '5'] as const;
for (const { id, path, responses } of [removed, removedOnce, kept].flatMap(() => operations)) {
  await (responses.has(201) ? store.post(path, bodies.get(id)) : undefined);
}
await store.request('/v1/pets', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'taken' },
  body: '{"name":"Ida","categoryId":7}',
});
const expiresAt = new Date('2026-01-31T12:00Z');
const { key: expired } = await createKey(store.database, { expiresAt });

const onTheDay = await startGateway({ now: () => Date.parse('2030-12-05') });
await addExamples(onTheDay, 2);
const { gateway: stuck, tables } = await startStuckGateway();
const away = await startCutOffGateway();

const broken = await startGateway();
await broken.database.$executeRawUnsafe(`DROP TABLE ${tables} CASCADE`);

// Gateways on which a key and an address, respectively, have used up their quota.
const limited = await startGateway({ ...ONCE, rateLimit: { quota: 1, windowSeconds: 1 } });
await limited.request('/v1/pets');
const guarded = await startGateway({ ...ONCE, failedAuthLimit: { quota: 1, windowSeconds: 1 } });
const badKey = { headers: { Authorization: 'Bearer no' } };
await guarded.request('/v1/pets', badKey);
const useless = await startGateway({
  access: { authenticate: () => Promise.resolve({ id: 1n, scopes: new Set() }) },
});
const writing = await startGateway({
  access: { authenticate: () => Promise.resolve({ id: 1n, scopes: new Set(['write']) }) },
});
await addExamples(writing, 2);
const full = await startGateway({ maximumOpenRequests: 0 });

interface Variation extends NodeRequest {
  readonly gateway?: typeof store;
  readonly id?: string;
  readonly query?: string;
}

/** Returns requests for an operation that succeed and fail in every way, beginning with its example. */
function variations({ id, method, parameters, body }: DocumentedOperation): Variation[] {
  const names = parameters.map(({ name }) => String(name));
  // A row that one request removes is missing for the others.
  const isRemoval = method === 'DELETE';
  const [ofKeyed, ofConditional] = isRemoval ? [{ id: removedOnce }, { id: kept }] : [{}, {}];
  return [
    {},
    { ...ofConditional, headers: { 'If-None-Match': '*' } },
    { headers: { Authorization: '' } },
    { headers: { Authorization: 'Bearer no' } },
    { headers: { Authorization: `Bearer ${expired}` } },
    { headers: { Accept: 'text/html' } },
    { headers: { 'Content-Type': 'text/plain' } },
    { id: '0' },
    { id: 'x' },
    { query: '?limit=1' },
    { headers: { Prefer: 'handling=strict' } },
    { query: '?limit=1', headers: { 'If-None-Match': '*' } },
    ...names.map((name) => ({ query: `?${name}=` })),
    ...(names.includes('If-Match') ? ['"other"', 'x'] : []).map((tag) =>
      Object.assign({ headers: { 'If-Match': tag } }, ofConditional),
    ),
    ...(names.includes('Idempotency-Key') ? [`new-${id}`, `new-${id}`, 'taken', '""'] : []).map(
      (key) => Object.assign({ headers: { 'Idempotency-Key': key } }, ofKeyed),
    ),
    ...(names.includes('Idempotency-Key') ? [`written-${id}`, `written-${id}`] : []).map((key) => ({
      gateway: writing,
      headers: { 'Idempotency-Key': key },
    })),
    ...(body
      ? [
          ...['', '{}', '{', JSON.stringify(body.example).padEnd(100_001)].map((text) => ({
            body: text,
          })),
          ...Object.keys(object(body.schema['properties'])).flatMap((name) =>
            [null, {}].map((value) => ({
              body: JSON.stringify({ ...body.example, [name]: value }),
            })),
          ),
          { headers: { 'Content-Encoding': 'compress' } },
        ]
      : []),
    ...[onTheDay, broken, stuck, away, limited, useless, writing, full].map((gateway) => ({
      gateway,
    })),
    { gateway: guarded, ...badKey },
  ];
}

async function ask(
  { id: operation, method, path, body }: DocumentedOperation,
  {
    gateway = store,
    id = method === 'DELETE' ? removed : '2',
    query = '',
    headers,
    ...rest
  }: Variation,
) {
  return nodeRequest(gateway, path.replaceAll(/\{\w+\}/g, id) + query, {
    method,
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(bodies.get(operation) ?? body.example) }),
    ...rest,
  });
}

const answers = new Map(
  await Promise.all(
    operations.map(async (operation) => {
      const requests = variations(operation).map((variation) => ask(operation, variation));
      return [operation, await Promise.all(requests)] as const;
    }),
  ),
);

/** Headers that depend on the request rather than on the status. */
const ABOUT_REQUESTS = new Set(['ignored-parameters', 'preference-applied']);

test.each(operations)('$id returns exactly the documented statuses and headers', (operation) => {
  const received = answers.get(operation) ?? [];
  expect(received.flatMap((answer) => answerFaults(operation, answer))).toEqual([]);
  const statuses = received.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(operation.responses.keys()));
  for (const [status, { headers }] of operation.responses) {
    const ofStatus = received.filter((answer) => answer.status === status);
    const isTold = (name: string) =>
      (ABOUT_REQUESTS.has(name) ? received : ofStatus).some((answer) => answer.headers.has(name));
    expect([status, ...Object.keys(headers).filter((name) => !isTold(name))]).toEqual([status]);
  }
});

test.each(operations)('$id returns exactly the errors in its OpenAPI examples', (operation) => {
  const errors = (answers.get(operation) ?? []).filter(({ status }) => status >= 400);
  const examples = [...operation.responses].flatMap(([status, response]) =>
    status >= 400 ? response.examples.map((example) => JSON.stringify(example)) : [],
  );
  expect(new Set(errors.map(({ text }) => text))).toEqual(new Set(examples));
});

test.each(operations)('$id returns exactly the documented Link relations', (operation) => {
  for (const status of operation.responses.keys()) {
    const headers = documentedOf(operation, status)?.headers;
    const told = (answers.get(operation) ?? [])
      .filter((answer) => answer.status === status)
      .map((answer) => answer.headers.get('Link'));
    expect(relationsIn(told)).toEqual(relationsIn(headers?.['link']));
  }
});

const once = await startGateway();
// Long enough for a busy machine to read the sent bytes.
const impatient = await startGateway({ timeouts: { head: 3000, check: 10 } });

const codeOf = (body: unknown) => (isJsonObject(body) ? body['code'] : undefined);

/** Sends bytes that are an incomplete or unacceptable request. Returns the response's error code. */
async function codeFor(address: string, bytes: string): Promise<unknown> {
  const connection = await rawConnection(address);
  connection.send(bytes);
  const [answer] = await connection.answers(1);
  return codeOf(JSON.parse(answer?.body.toString() ?? ''));
}

test('the ErrorCode schema lists exactly the codes of all REST errors', async () => {
  // Each of these examples is a response in a different test.
  const documented = operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ examples }) => examples.map(codeOf)),
  );
  await once.database.$executeRaw`ALTER TABLE pets ADD UNIQUE (name)`;
  await once.post('/v1/pets', { name: 'Only', categoryId: 1 });
  const undocumented = [
    codeOf((await once.post('/v1/pets', { name: 'Only', categoryId: 1 })).json),
    codeOf((await once.request('/v1/pets', { method: 'DELETE' })).json),
    await codeFor(impatient.url, 'GET '),
    await codeFor(once.url, head('FETCH /v1/pets')),
    await codeFor(once.url, head(`GET /v1/${'a'.repeat(8000)}`)),
    await codeFor(once.url, head('GET /v1/pets', `X-Any: ${'a'.repeat(16_384)}`)),
  ];
  const codes = [...documented, ...undocumented].filter((code) => code !== undefined);
  expect(new Set(codes)).toEqual(
    new Set([at('components', 'schemas', 'ErrorCode', 'anyOf', 0, 'enum')].flat()),
  );
});

test('every code in the ErrorCode schema has a description', () => {
  const meanings = at('components', 'schemas', 'ErrorCode', 'x-enumDescriptions');
  expect(Object.keys(isJsonObject(meanings) ? meanings : {})).toEqual(
    at('components', 'schemas', 'ErrorCode', 'anyOf', 0, 'enum'),
  );
  expect(meanings).toMatchObject({ UNAUTHENTICATED: 'Missing or invalid API key.' });
});
