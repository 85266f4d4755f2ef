import { context, metrics as globalMetrics, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { log, recorder, tracer } from '@store-gateway/ops';
import { expect, test, vi } from 'vitest';
import { startMetrics } from '../src/metrics/start.ts';
import { createDiagnosticsLog } from '../src/tracing/diagnostics-log.ts';
import { traceBatches, traceStatement } from '../src/tracing/spans.ts';

const coalesce = async (_key: string, start: (isAlone: boolean) => Promise<number>) => start(true);
const listener = () => undefined;

test('without tracing, the wrappers of the tracer have no effect', async () => {
  expect(tracer.coalescer(coalesce)).toBe(coalesce);
  expect(tracer.requests(listener, () => undefined)).toBe(listener);
  expect(await tracer.statement('name', () => Promise.resolve(1))).toBe(1);
});

test('a statement outside a traced request has no span', async () => {
  using started = vi.spyOn(trace, 'setSpan');
  expect(await traceStatement('name', () => Promise.resolve(1))).toBe(1);
  expect(started).not.toHaveBeenCalled();
});

test('a batch of untraced requests does not belong to any trace', async () => {
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

test('failed exports log at most three lines per minute, and later the number of suppressed lines', () => {
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
  const line = { reason, suppressed: undefined };
  expect(warned.mock.calls.map(([fields]) => fields)).toEqual([
    line,
    line,
    line,
    { reason: 'export failed', suppressed: 2 },
  ]);
});

const OPTIONS = { host: '127.0.0.1', port: 0, prefix: 'shop_', version: '1.2.3' };

test('a counter with known labels starts at 0', async () => {
  await using metrics = await startMetrics(OPTIONS);
  const text = await (await fetch(metrics.url)).text();
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'shop_authentications_total{outcome="unknown"} 0',
      'shop_unread_requests_total{http_response_status_code="431"} 0',
      'shop_shared_calls_total{place="statements",role="led"} 0',
      'shop_request_wait_seconds_total{key_id="none"} 0',
    ]),
  );
});

test('without metrics, recording does nothing', () => {
  recorder.add('authentications_total', 1, { outcome: 'ok' });
  recorder.record('statement_calls', 1);
  const read = vi.fn<() => number>(() => 1);
  recorder.observe('http_server_active_requests', read);
  expect(read).not.toHaveBeenCalled();
});

test('instruments that the application creates are also scraped', async () => {
  await using started = await startMetrics(OPTIONS);
  const loans = globalMetrics.getMeter('library').createCounter('library_loans_total');
  loans.add(2, { genre: 'poem' });
  expect(await (await fetch(started.url)).text()).toContain('library_loans_total{genre="poem"} 2');
});
