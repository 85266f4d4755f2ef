import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
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

  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  const gauges = (['p50', 'p99', 'max'] as const).map((name) => ({
    name,
    gauge: meter.createObservableGauge(`nodejs_eventloop_delay_${name}_seconds`, {
      description: `How late the event loop was since the last scrape: ${name}.`,
    }),
  }));
  meter.addBatchObservableCallback(
    (result) => {
      const nanoseconds = { p50: delay.percentile(50), p99: delay.percentile(99), max: delay.max };
      for (const { name, gauge } of gauges) {
        // What is measured is the time from one look to the next: all beyond the one agreed is delay.
        result.observe(
          gauge,
          delay.count === 0 ? 0 : Math.max(0, nanoseconds[name] / 1e9 - RESOLUTION / 1000),
        );
      }
      delay.reset();
    },
    gauges.map(({ gauge }) => gauge),
  );
  delay.enable();
  return () => {
    delay.disable();
  };
}
