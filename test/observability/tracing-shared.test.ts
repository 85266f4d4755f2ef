import { randomBytes } from 'node:crypto';
import { afterAll, expect, inject, test } from 'vitest';
import { attributesOf, startCollector, treeOf, type Span } from '../support/collector.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { head, rawConnection } from '../support/raw-connection.ts';
import { firstKey, startService } from '../support/service.ts';

const collector = await startCollector();
const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const service = await startService({ DATABASE_URL: databaseUrl, ...collector.env });
const KEY = `Authorization: Bearer ${await firstKey(service)}`;
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

interface Sent {
  readonly path: string;
  readonly isSampled?: boolean;
}

/** Sends requests, each with a trace of its own, at once: in one packet. Tells the ids of the traces. */
async function sendAtOnce(requests: readonly Sent[]): Promise<string[]> {
  const connection = await rawConnection(service.url);
  // The key is known from now on.
  connection.send(head('GET /v1/pets', KEY));
  await connection.answers(1);
  const traceIds = requests.map(() => randomBytes(16).toString('hex'));
  const heads = requests.map(({ path, isSampled = true }, index) => {
    const traceparent = `00-${traceIds[index]}-00f067aa0ba902b7-${isSampled ? '01' : '00'}`;
    return head(`GET ${path}`, KEY, `traceparent: ${traceparent}`);
  });
  connection.send(heads.join(''));
  const answers = await connection.answers(1 + requests.length);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  return traceIds;
}

async function tracesOf(requests: readonly Sent[]): Promise<(readonly Span[])[]> {
  const traceIds = await sendAtOnce(requests);
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
  const traces = await tracesOf(Array.from({ length: 20 }, () => ({ path })));
  const spans = traces.flat();
  const joined = traces.filter((trace) => trace.some(({ name }) => name === 'joined'));
  // The first is on its way when the second comes, which leads all others.
  expect(joined).toHaveLength(18);
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
  const [spans = []] = await tracesOf([{ path: `/graphql?query=${encodeURIComponent(document)}` }]);
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

test('a statement is part of the first trace that is sampled of those of its requests', async () => {
  const sampled = new Set([10, 15]);
  const traceIds = await sendAtOnce(
    Array.from({ length: 20 }, (_, index) => ({
      path: `/v1/pets?limit=${index + 1}`,
      isSampled: sampled.has(index),
    })),
  );
  const [first = [], second = []] = await Promise.all(
    Array.from(sampled, (index) => collector.trace(traceIds[index] ?? '')),
  );
  const resolved = ['GET /v1/pets', '  query', '    Query.petsConnection'];
  expect(treeOf(first)).toEqual([...resolved, '      find-pages']);
  expect(treeOf(second)).toEqual(resolved);
  const linked = first.flatMap(({ links }) => links);
  expect(linked.map(({ spanId }) => spanId)).toEqual(
    second.filter(({ name }) => name === 'Query.petsConnection').map(({ spanId }) => spanId),
  );
});
