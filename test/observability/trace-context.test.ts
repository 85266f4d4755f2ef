import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { traceIdIn } from '../../src/app/traceparent.ts';
import { startTracedService } from '../support/traced-service.ts';

const { collector, key, url, linesOf, traceOf } = await startTracedService();

test('traceparent and tracestate name the trace, and the parent of the span', async () => {
  const trace = randomBytes(16).toString('hex');
  const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01`, tracestate: 'shop=1,b=2' };
  const { traceId, server } = await traceOf('/v1/pets', { headers });
  expect(traceId).toBe(trace);
  expect(server).toMatchObject({ parentSpanId: '00f067aa0ba902b7', traceState: 'shop=1,b=2' });
});

test('a trace that is not sampled is in the log, and not exported', async () => {
  const trace = randomBytes(16).toString('hex');
  const headers = {
    Authorization: `Bearer ${key}`,
    'X-Request-Id': 'unsampled',
    traceparent: `00-${trace}-00f067aa0ba902b7-00`,
  };
  await fetch(`${url}/v1/pets`, { headers });
  expect(await linesOf('unsampled')).toEqual([expect.objectContaining({ traceId: trace })]);
  // Whatever ended before has been exported by the time that this has.
  await traceOf('/v1/pets');
  expect(collector.spans().filter(({ traceId }) => traceId === trace)).toEqual([]);
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

test.each(INVALID)('traceparent %j is none', async (traceparent) => {
  const { traceId, server } = await traceOf('/v1/pets', { headers: { traceparent } });
  expect(traceId).toMatch(/^(?!0{32})[\da-f]{32}$/);
  expect(traceId).not.toBe(TRACE);
  expect(server.parentSpanId).toBeUndefined();
});

test('traceparent is read likewise without traces', () => {
  const valid = [`00-${TRACE}-00f067aa0ba902b7-00`, `cc-${TRACE}-00f067aa0ba902b7-01-more`];
  expect(valid.map(traceIdIn)).toEqual([TRACE, TRACE]);
  expect(INVALID.filter(traceIdIn)).toEqual([]);
  expect(traceIdIn(undefined)).toBeUndefined();
});
