import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { log, tracer } from '@store-gateway/ops';
import { expect, test, vi } from 'vitest';
import { createDiagnosticsLog } from '../src/tracing/diagnostics-log.ts';
import { traceBatches, traceDatabaseCall, traceStatement } from '../src/tracing/spans.ts';

const coalesce = async (_key: string, start: (isAlone: boolean) => Promise<number>) => start(true);
const listener = () => undefined;

test('while traces are off, what is wrapped is used as it is', async () => {
  expect(tracer.coalescer(coalesce)).toBe(coalesce);
  expect(tracer.requests(listener, () => undefined)).toBe(listener);
  expect(await tracer.statement('name', () => Promise.resolve(1))).toBe(1);
});

test('outside a traced request a statement has no span', async () => {
  using started = vi.spyOn(trace, 'setSpan');
  expect(await traceStatement('name', () => Promise.resolve(1))).toBe(1);
  expect(started).not.toHaveBeenCalled();
});

test('a batch of requests that are not traced is part of no trace, whoever sends it', async () => {
  using within = vi.spyOn(context, 'with');
  const collect = traceBatches(
    (run) => (input) =>
      new Promise((resolve, reject) => {
        void run([{ input, resolve, reject }]);
      }),
  );
  const double = collect<number, number>(async ([call]) => call?.resolve(call.input * 2));
  expect(await double(2)).toBe(4);
  expect(within).toHaveBeenCalledExactlyOnceWith(ROOT_CONTEXT, expect.any(Function));
});

test('what answered a call of the database client is an event of the current span', () => {
  const span = trace.wrapSpanContext({ traceId: '1', spanId: '1', traceFlags: 1 });
  using added = vi.spyOn(span, 'addEvent');
  using active = vi.spyOn(trace, 'getActiveSpan').mockReturnValue(span);
  traceDatabaseCall('Thing', 'findMany', 'engine');
  expect(active).toHaveBeenCalledOnce();
  expect(added).toHaveBeenCalledExactlyOnceWith('database call', {
    'db.collection.name': 'Thing',
    'db.operation.name': 'findMany',
    'db.answered_by': 'engine',
  });
});

test('failed exports are logged by three lines a minute, which say how many are left out', () => {
  using warned = vi.spyOn(log, 'warn').mockReturnValue(undefined);
  let now = 0;
  using clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const { error } = createDiagnosticsLog();
  for (let failure = 0; failure < 5; failure += 1) {
    error('export failed', JSON.stringify({ code: 'ECONNREFUSED', stack: 'at …' }));
  }
  now = 60_000;
  error('export failed');
  expect(clock).toHaveBeenCalled();
  const reason = 'export failed ECONNREFUSED';
  const line = { reason, untold: undefined };
  expect(warned.mock.calls.map(([fields]) => fields)).toEqual([
    line,
    line,
    line,
    { reason: 'export failed', untold: 2 },
  ]);
});
