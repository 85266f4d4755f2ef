import { createHistogram, performance } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';
import type { Instruments } from './instruments.ts';

/** Milliseconds between two samples of how late the event loop is. */
const RESOLUTION_MS = 20;

/**
 * How busy the event loop is, and how late it was since the last scrape: everything waits for it.
 *
 * @returns stops
 */
export function recordEventLoop(meter: Meter, { observedCounter }: Instruments): () => void {
  observedCounter(
    'nodejs_eventloop_time_seconds_total',
    'Time that the event loop was at work, or idle.',
    () => {
      const { active, idle } = performance.eventLoopUtilization();
      return [
        [active / 1000, { nodejs_eventloop_state: 'active' }],
        [idle / 1000, { nodejs_eventloop_state: 'idle' }],
      ];
    },
  );

  // Node's own monitorEventLoopDelay forgets at a reset when its last sample was, so it would miss a delay that begins
  // before the next one.
  const intervals = createHistogram();
  let sampledAt = process.hrtime.bigint();
  const timer = setInterval(() => {
    const now = process.hrtime.bigint();
    intervals.record(now - sampledAt);
    sampledAt = now;
  }, RESOLUTION_MS).unref();

  const gauges = (['p50', 'p99', 'max'] as const).map((name) => ({
    name,
    gauge: meter.createObservableGauge(`nodejs_eventloop_delay_${name}_seconds`, {
      description: `How late the event loop was since the last scrape: ${name}.`,
    }),
  }));
  meter.addBatchObservableCallback(
    (result) => {
      const { max, count } = intervals;
      const nanoseconds = { p50: intervals.percentile(50), p99: intervals.percentile(99), max };
      for (const { name, gauge } of gauges) {
        const delay = Math.max(0, nanoseconds[name] / 1e9 - RESOLUTION_MS / 1000);
        result.observe(gauge, count === 0 ? 0 : delay);
      }
      intervals.reset();
    },
    gauges.map(({ gauge }) => gauge),
  );
  return () => {
    clearInterval(timer);
  };
}
