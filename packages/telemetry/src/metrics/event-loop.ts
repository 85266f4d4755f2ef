import { createHistogram, performance } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

/** Milliseconds between two looks at how late the event loop is. */
const RESOLUTION = 20;

/**
 * How busy the event loop is, and how late it was since somebody last asked for the metrics: everything waits for it.
 *
 * @returns stops looking
 */
export function measureEventLoop(meter: Meter): () => void {
  meter
    .createObservableCounter('nodejs_eventloop_time_seconds_total', {
      description: 'Time that the event loop was at work, or idle.',
    })
    .addCallback((result) => {
      const { active, idle } = performance.eventLoopUtilization();
      result.observe(active / 1000, { nodejs_eventloop_state: 'active' });
      result.observe(idle / 1000, { nodejs_eventloop_state: 'idle' });
    });

  // Node's own monitorEventLoopDelay forgets, when it is reset, when it looked last: so it would miss what begins before
  // the next look.
  const intervals = createHistogram();
  let looked = process.hrtime.bigint();
  const timer = setInterval(() => {
    const now = process.hrtime.bigint();
    intervals.record(now - looked);
    looked = now;
  }, RESOLUTION).unref();

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
        // All beyond the interval agreed is delay.
        const delay = Math.max(0, nanoseconds[name] / 1e9 - RESOLUTION / 1000);
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
