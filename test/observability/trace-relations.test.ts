import { expect, test } from 'vitest';
import { traceIdIn } from '../../packages/http/src/request-head.ts';
import { attributesOf, treeOf, type Span } from '../support/collector.ts';
import { head, rawConnection } from '../support/raw-connection.ts';
import { newTrace, startTracedService } from '../support/traced-service.ts';

const { child, collector, key, linesOf, loggedTraceOf, spansOf, traceOf, url } =
  await startTracedService();
const KEY = `Authorization: Bearer ${key}`;

test('traceparent and tracestate name the trace, and the parent of the span', async () => {
  const { traceId, traceparent } = newTrace();
  const headers = { traceparent, tracestate: 'shop=1,b=2' };
  const { server, ...told } = await loggedTraceOf('/v1/pets', { headers });
  expect(told.traceId).toBe(traceId);
  expect(server).toMatchObject({ parentSpanId: '00f067aa0ba902b7', traceState: 'shop=1,b=2' });
});

test('a trace that is not sampled is in the log, and not exported', async () => {
  const { traceId, traceparent } = newTrace(false);
  const headers = { traceparent, 'X-Request-Id': 'unsampled', Authorization: `Bearer ${key}` };
  await fetch(`${url}/v1/pets`, { headers });
  expect(await linesOf('unsampled')).toEqual([expect.objectContaining({ traceId })]);
  // Whatever ended before has been exported by the time that this has.
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

test('a request without a traceparent, or with one that is malformed, begins a trace', async () => {
  const headers = [{}, ...INVALID.map((traceparent) => ({ traceparent }))];
  const sent = headers.map((each) => loggedTraceOf('/v1/pets', { headers: each }));
  for (const { traceId, server } of await Promise.all(sent)) {
    expect(traceId).toMatch(/^(?!0{32})[\da-f]{32}$/);
    expect(traceId).not.toBe(TRACE);
    expect(server.parentSpanId).toBeUndefined();
  }
});

test('traceparent is read likewise without traces', () => {
  const valid = [`00-${TRACE}-00f067aa0ba902b7-00`, `cc-${TRACE}-00f067aa0ba902b7-01-more`];
  expect(valid.map(traceIdIn)).toEqual([TRACE, TRACE]);
  expect(INVALID.filter(traceIdIn)).toEqual([]);
  expect(traceIdIn(undefined)).toBeUndefined();
});

interface Sent {
  readonly path: string;
  readonly isSampled?: boolean;
}

/** Sends requests, each with a trace of its own, so that they arrive at once. Tells the ids of the traces. */
async function sendAtOnce(requests: readonly Sent[]): Promise<string[]> {
  const exchanges = [];
  for (const { path, isSampled } of requests) {
    const connection = await rawConnection(url);
    // The key is known from now on.
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

async function tracesOf(requests: readonly Sent[]): Promise<(readonly Span[])[]> {
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
  // The first is on its way when the second comes, which leads the others, as far as they have their turn by then.
  await expect.poll(send).toBeGreaterThan(9);
  for (const trace of joined) {
    const links = trace.flatMap((span) => span.links);
    const linked = spans.filter((span) => links.some(({ spanId }) => spanId === span.spanId));
    expect(linked.map(({ name }) => name)).toEqual(['query']);
    // On a busy machine one statement may be for two leaders: it is part of one's trace, and linked to the other's.
    const statements = spans.filter(({ name }) => name === 'Pet.findPages');
    const traceIds = statements.flatMap((span) => [span, ...span.links].map((of) => of.traceId));
    expect(traceIds).toContain(linked[0]?.traceId);
  }
  const routes = spans.map((span) => attributesOf(span)['http.route']).filter(Boolean);
  expect(new Set(routes)).toEqual(new Set([path.split('?')[0]]));
  expect(routes).toHaveLength(20);
});

test('a statement for several is linked to all but the one that it is part of', async () => {
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

test('a statement is part of the first trace that is sampled of those of its requests', async () => {
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
  // The turn of one may come after the statement of the others was sent.
  await expect.poll(send).not.toContain('Pet.findPages');
  const resolved = ['GET /v1/pets', '  query', '    Query.petsConnection'];
  expect(treeOf(first)).toEqual([...resolved, '      Pet.findPages']);
  expect(treeOf(second)).toEqual(resolved);
  const linked = first.flatMap(({ links }) => links);
  expect(linked.map(({ spanId }) => spanId)).toEqual(
    second.filter(({ name }) => name === 'Query.petsConnection').map(({ spanId }) => spanId),
  );
});
