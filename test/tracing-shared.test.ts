import { randomBytes } from 'node:crypto';
import { afterAll, expect, inject, test } from 'vitest';
import { attributesOf, startCollector, treeOf, type Span } from './support/collector.ts';
import { createDatabase, TEMPLATE } from './support/database.ts';
import { startDatabaseProxy } from './support/database-proxy.ts';
import { firstKey, startService } from './support/service.ts';

const collector = await startCollector();
const database = await startDatabaseProxy(
  await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
);
const service = await startService({ DATABASE_URL: database.url, ...collector.env });
const headers = { Authorization: `Bearer ${await firstKey(service)}` };
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

async function send(path: string, traceId: string, isSampled = true): Promise<void> {
  const traceparent = `00-${traceId}-00f067aa0ba902b7-${isSampled ? '01' : '00'}`;
  const answer = await fetch(service.url + path, { headers: { ...headers, traceparent } });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
}

const newTraceId = () => randomBytes(16).toString('hex');

/** Sends requests while one is held up by the database, each with a trace of its own, and tells their spans. */
async function sentAtOnce(paths: readonly string[]): Promise<(readonly Span[])[]> {
  const traceIds = paths.map(newTraceId);
  // The key is known from now on.
  await send('/v1/pets', newTraceId());
  database.hold();
  const [first, ...others] = paths.map((path, index) => () => send(path, traceIds[index] ?? ''));
  const held = first?.();
  await database.holding();
  const sent = others.map((request) => request());
  database.letGo();
  await Promise.all([held, ...sent]);
  return Promise.all(traceIds.map((traceId) => collector.trace(traceId)));
}

test.each([
  {
    what: 'answer',
    path: '/v1/pets',
    tree: ['GET /v1/pets', '  joined'],
    leader: 'GET /v1/pets',
  },
  {
    what: 'reading',
    path: '/graphql?query={pets{id}}',
    tree: ['GET /graphql', '  query', '    joined'],
    leader: 'query',
  },
])('who joins the $what of another is linked to that one', async ({ path, tree, leader }) => {
  const traces = await sentAtOnce(Array.from({ length: 20 }, () => path));
  const spans = traces.flat();
  const joined = traces.filter((trace) => trace.some(({ name }) => name === 'joined'));
  expect(joined).not.toEqual([]);
  for (const trace of joined) {
    expect(treeOf(trace)).toEqual(tree);
    const links = trace.flatMap((span) => span.links);
    const linked = spans.filter((span) => links.some(({ spanId }) => spanId === span.spanId));
    expect(linked.map(({ name }) => name)).toEqual([leader]);
    const ofLeader = spans.filter(({ traceId }) => traceId === linked[0]?.traceId);
    expect(ofLeader.map(({ name }) => name)).toContain('find-pages');
  }
  // Also of those that Express has never seen.
  const routes = spans.map((span) => attributesOf(span)['http.route']).filter(Boolean);
  expect(new Set(routes)).toEqual(new Set([path.split('?')[0]]));
  expect(routes).toHaveLength(20);
});

test('a statement for several is linked to all but the one that it is part of', async () => {
  const document = '{ a: pets(limit: 1) { id } b: pets(limit: 2) { id } }';
  const [spans = []] = await sentAtOnce([`/graphql?query=${encodeURIComponent(document)}`]);
  expect(treeOf(spans).toSorted()).toEqual([
    '      find-pages',
    '    Query.pets',
    '    Query.pets',
    '  query',
    'GET /graphql',
  ]);
  const statement = spans.find(({ name }) => name === 'find-pages');
  const resolvers = spans.filter(({ name }) => name === 'Query.pets');
  const others = resolvers.filter(({ spanId }) => spanId !== statement?.parentSpanId);
  expect(statement?.links).toMatchObject(
    others.map(({ traceId, spanId }) => ({ traceId, spanId })),
  );
  expect(others).toHaveLength(1);
});

test('a statement is part of a trace that is sampled, if any of its requests has one', async () => {
  await send('/v1/pets', newTraceId());
  database.hold();
  const held = send('/v1/pets?limit=1', newTraceId(), false);
  await database.holding();
  const traceId = newTraceId();
  const sent = Array.from({ length: 20 }, (_, index) =>
    send(`/v1/pets?limit=${index + 2}`, index === 10 ? traceId : newTraceId(), index === 10),
  );
  database.letGo();
  await Promise.all([held, ...sent]);
  expect(treeOf(await collector.trace(traceId))).toEqual([
    'GET /v1/pets',
    '  query',
    '    Query.petsConnection',
    '      find-pages',
  ]);
});
