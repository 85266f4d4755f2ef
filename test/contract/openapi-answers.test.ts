import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { parseExactly } from '@store-gateway/exact-json/exact-json';
import { isJsonObject } from '@store-gateway/exact-json/json';
import { createKey } from '../support/keys.ts';
import { addExamples } from '../support/added-examples.ts';
import { PATIENT, startGateway, type Answer } from '../support/gateway.ts';
import { headerFaults } from '../support/header-faults.ts';
import { schemaFaults } from '../support/json-schema.ts';
import { relationsIn } from '../support/link-relations.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';
import { document, object, operations, type DocumentedOperation } from '../support/openapi.ts';

/** What is on any answer, and what no client of the contract has to know. */
const UNTOLD = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
]);

/** With a clock that stands still. */
const ONCE = { now: () => 0 };

const store = await startGateway();
// Two of everything, so that each list has more than one page; then some to remove, which nothing else needs.
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
// Whatever is asked of it waits for the whole of its time.
const stuck = await startGateway({
  databaseTimeouts: { ...PATIENT.databaseTimeouts, statement: 2000 },
});
const lock = new Client(stuck.databaseUrl);
await lock.connect();
/** All but those that keys, limits and the like are kept in. */
const stored = await lock.query<{ tables: string }>(`
  SELECT string_agg(quote_ident(tablename), ', ') AS tables FROM pg_tables
  WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', '_gateway_migrations', 'api_keys',
    'deprecated_calls', 'idempotency_keys', 'rate_limit_counts', 'trusted_documents')`);
const tables = stored.rows[0]?.tables ?? '';
await lock.query('BEGIN');
await lock.query(`LOCK TABLE ${tables}`);
afterAll(() => lock.end());

const broken = await startGateway();
await broken.database.$executeRawUnsafe(`DROP TABLE ${tables} CASCADE`);

// Gateways on which a key, and an address, have used up their quota.
const limited = await startGateway({ ...ONCE, rateLimit: { quota: 1, windowSeconds: 1 } });
await limited.request('/v1/pets');
const guarded = await startGateway({ ...ONCE, failedAuthLimit: { quota: 1, windowSeconds: 1 } });
const badKey = { headers: { Authorization: 'Bearer no' } };
await guarded.request('/v1/pets', badKey);
const useless = await startGateway({
  access: { authenticate: () => Promise.resolve({ id: 1n, scopes: new Set() }) },
});
const full = await startGateway({ maximumOpenRequests: 0 });

interface Variation extends NodeRequest {
  readonly gateway?: typeof store;
  readonly id?: string;
  readonly query?: string;
}

/** Requests of an operation, from its own example on, that go right and wrong in every way there is. */
function variations({ id, method, parameters, body }: DocumentedOperation): Variation[] {
  const names = parameters.map(({ name }) => String(name));
  // What is removed by one request is not there for others.
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
    { query: '?limit=1', headers: { 'If-None-Match': '*' } },
    ...names.map((name) => ({ query: `?${name}=` })),
    ...(names.includes('If-Match') ? ['"other"', 'x'] : []).map((tag) =>
      Object.assign({ headers: { 'If-Match': tag } }, ofConditional),
    ),
    ...(names.includes('Idempotency-Key') ? [`new-${id}`, `new-${id}`, 'taken', '""'] : []).map(
      (key) => Object.assign({ headers: { 'Idempotency-Key': key } }, ofKeyed),
    ),
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
    ...[onTheDay, broken, stuck, limited, useless, full].map((gateway) => ({ gateway })),
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

/**
 * What is documented of an operation's answers of a status. What announces its end is on all but those that nobody has read,
 * and told with its success.
 */
function documentedOf({ responses }: DocumentedOperation, status: number) {
  const response = responses.get(status);
  const success = responses.get(200)?.headers ?? {};
  const announcing = 'deprecation' in success ? ['deprecation', 'sunset', 'link'] : [];
  const announced: Record<string, unknown> = Object.fromEntries(
    announcing.map((name) => [name, { ...object(success[name]), required: false }]),
  );
  return response && { ...response, headers: { ...announced, ...response.headers } };
}

/** Only of a replay, and only if a body's encoding, or its type, is refused. */
const SOMETIMES = new Set(['idempotent-replayed', 'accept-encoding', 'accept-patch']);

/** What of an answer is otherwise than the document says. */
function faults(operation: DocumentedOperation, answer: Omit<Answer, 'json'>): string[] {
  const { status, headers, text } = answer;
  const documented = documentedOf(operation, status);
  if (documented === undefined) {
    return [`${status}: ${text}`];
  }
  const told = [...headers].filter(([name]) => !UNTOLD.has(name));
  const body: unknown = text === '' ? undefined : parseExactly(text);
  return [
    ...told.flatMap(([name, value]) => headerFaults(name, value, documented.headers[name])),
    ...Object.entries(documented.headers)
      .filter(([name]) => !headers.has(name) && !SOMETIMES.has(name))
      .filter(([, header]) => !(isUnread(text) && isOptional(header)))
      .map(([name]) => `${status}: no ${name}`),
    ...(documented.schema === undefined && body === undefined
      ? []
      : schemaFaults(document, documented.schema, body)),
    ...(headers.get('Content-Type') ===
    (body === undefined ? null : 'application/json; charset=utf-8')
      ? []
      : [`${status}: Content-Type`]),
  ];
}

/** Whether a request was refused before anyone looked at whose it is, or what it wants. */
function isUnread(text: string): boolean {
  return text.includes('"code":"OVERLOADED"');
}

function isOptional(header: unknown): boolean {
  return isJsonObject(header) && header['required'] === false;
}

const answers = new Map(
  await Promise.all(
    operations.map(async (operation) => {
      const requests = variations(operation).map((variation) => ask(operation, variation));
      return [operation, await Promise.all(requests)] as const;
    }),
  ),
);

test.each(operations)(
  '$id: what is answered is what the document says, every status and header of it and no other',
  (operation) => {
    const received = answers.get(operation) ?? [];
    expect(received.flatMap((answer) => faults(operation, answer))).toEqual([]);
    const statuses = received.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(operation.responses.keys()));
    for (const [status, { headers }] of operation.responses) {
      const ofStatus = received.filter((answer) => answer.status === status);
      const isTold = (name: string) => ofStatus.some((answer) => answer.headers.has(name));
      expect([status, ...Object.keys(headers).filter((name) => !isTold(name))]).toEqual([status]);
    }
  },
);

test.each(operations)(
  '$id: the examples of errors are the answers, every one of them and no other',
  (operation) => {
    const errors = (answers.get(operation) ?? []).filter(({ status }) => status >= 400);
    const examples = [...operation.responses].flatMap(([status, response]) =>
      status >= 400 ? response.examples.map((example) => JSON.stringify(example)) : [],
    );
    expect(new Set(errors.map(({ text }) => text))).toEqual(new Set(examples));
  },
);

test.each(operations)('$id: the links that are described are there, and no other', (operation) => {
  for (const status of operation.responses.keys()) {
    const headers = documentedOf(operation, status)?.headers;
    const told = (answers.get(operation) ?? [])
      .filter((answer) => answer.status === status)
      .map((answer) => answer.headers.get('Link'));
    expect(relationsIn(told)).toEqual(relationsIn(headers?.['link']));
  }
});
