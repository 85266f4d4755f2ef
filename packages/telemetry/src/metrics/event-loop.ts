import { createHistogram, performance } from 'node:perf_hooks';
import type { Recorder } from '../recorder.ts';

/** Milliseconds between two samples of how late the event loop is. */
const RESOLUTION_MS = 20;

/**
 * How busy the event loop is, and how late it was since the last scrape: everything waits for it.
 *
 * @returns stops
 */
export function observeEventLoop({ observe }: Recorder): () => void {
  observe('nodejs_eventloop_time_seconds_total', () => {
    const { active, idle } = performance.eventLoopUtilization();
    return [
      [active / 1000, { nodejs_eventloop_state: 'active' }],
      [idle / 1000, { nodejs_eventloop_state: 'idle' }],
    ];
  });

  // Node's own monitorEventLoopDelay forgets at a reset when its last sample was, so it would miss a delay that begins
  // before the next one.
  const intervals = createHistogram();
  let sampledAt = process.hrtime.bigint();
  const timer = setInterval(() => {
    const now = process.hrtime.bigint();
    intervals.record(now - sampledAt);
    sampledAt = now;
  }, RESOLUTION_MS).unref();

  const delay = (nanoseconds: () => number) => () => {
    // A scrape reads all three at once.
    setImmediate(() => {
      intervals.reset();
    });
    return intervals.count === 0 ? 0 : Math.max(0, nanoseconds() / 1e9 - RESOLUTION_MS / 1000);
  };
  observe(
    'nodejs_eventloop_delay_p50_seconds',
    delay(() => intervals.percentile(50)),
  );
  observe(
    'nodejs_eventloop_delay_p99_seconds',
    delay(() => intervals.percentile(99)),
  );
  observe(
    'nodejs_eventloop_delay_max_seconds',
    delay(() => intervals.max),
  );
  return () => {
    clearInterval(timer);
  };
}
