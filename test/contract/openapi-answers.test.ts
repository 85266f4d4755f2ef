import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { addExamples } from '../support/added-examples.ts';
import { answerFaults, documentedOf } from '../support/answer-faults.ts';
import { startGateway } from '../support/gateway.ts';
import { relationsIn } from '../support/link-relations.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';
import { object, operations, type DocumentedOperation } from '../support/openapi.ts';
import { startCutOffGateway, startStuckGateway } from '../support/unavailable-gateways.ts';

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
const { gateway: stuck, tables } = await startStuckGateway();
const away = await startCutOffGateway();

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

/** Headers that depend on the request, not on the status. */
const ABOUT_REQUESTS = new Set(['ignored-parameters', 'preference-applied']);

test.each(operations)(
  '$id: what is answered is what the document says, every status and header of it and no other',
  (operation) => {
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
