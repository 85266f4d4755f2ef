import { getHeapStatistics } from 'node:v8';
import type { Meter } from '@opentelemetry/api';
import { recordEventLoop } from './event-loop.ts';
import { recordGarbageCollection } from './garbage-collection.ts';
import type { Instruments } from './instruments.ts';

/**
 * The process itself: Node by the names of https://opentelemetry.io/docs/specs/semconv/runtime/, the rest by those of
 * https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics.
 *
 * @returns stops
 */
export function recordRuntime(meter: Meter, instruments: Instruments): () => void {
  const { gauge, observedCounter } = instruments;
  gauge(
    'process_start_time_seconds',
    'When the process started, in seconds since 1970.',
    () => performance.timeOrigin / 1000,
  );
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  gauge(
    'v8js_memory_heap_used_bytes',
    'Memory that JavaScript uses.',
    () => getHeapStatistics().used_heap_size,
  );
  gauge(
    'v8js_memory_heap_limit_bytes',
    'Memory that JavaScript may use before the process ends.',
    () => getHeapStatistics().heap_size_limit,
  );
  observedCounter(
    'process_cpu_seconds_total',
    'CPU time of the process, all of its threads included.',
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  );

  const stopEventLoop = recordEventLoop(meter, instruments);
  const stopGarbageCollection = recordGarbageCollection(instruments);
  return () => {
    stopEventLoop();
    stopGarbageCollection();
  };
}
