import { constants, createHistogram, performance, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { isJsonObject, droppedLines, type Recorder } from '@store-gateway/ops';

/** Milliseconds between two samples of how late the event loop is. */
const RESOLUTION_MS = 20;

const GC_TYPES = new Map<unknown, string>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** Records the process itself, until it is disposed of. */
export function recordRuntime(recorder: Recorder): Disposable {
  const { observe } = recorder;
  observe('log_lines_dropped_total', droppedLines);
  observe('process_start_time_seconds', () => performance.timeOrigin / 1000);
  observe('process_resident_memory_bytes', () => process.memoryUsage.rss());
  observe('v8js_memory_heap_used_bytes', () => getHeapStatistics().used_heap_size);
  observe('v8js_memory_heap_limit_bytes', () => getHeapStatistics().heap_size_limit);
  observe('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  observe('nodejs_eventloop_time_seconds_total', () => {
    const { active, idle } = performance.eventLoopUtilization();
    return [
      [active / 1000, { nodejs_eventloop_state: 'active' }],
      [idle / 1000, { nodejs_eventloop_state: 'idle' }],
    ];
  });
  const sampling = observeEventLoopDelay(recorder);
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const detail: unknown = 'detail' in entry ? entry.detail : undefined;
      const kind = isJsonObject(detail) ? detail['kind'] : undefined;
      recorder.record('v8js_gc_duration_seconds', entry.duration / 1000, {
        v8js_gc_type: GC_TYPES.get(kind) ?? 'other',
      });
    }
  });
  collections.observe({ entryTypes: ['gc'] });
  return {
    [Symbol.dispose]: () => {
      clearInterval(sampling);
      collections.disconnect();
    },
  };
}

/** Event loop delay since the last scrape: everything waits for it. @returns the timer of its samples */
function observeEventLoopDelay({ observe }: Recorder): NodeJS.Timeout {
  // Node's own monitorEventLoopDelay forgets at a reset when its last sample was, so it would miss a delay that begins
  // before the next one.
  const intervals = createHistogram();
  let sampledAt = process.hrtime.bigint();
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
  return setInterval(() => {
    const now = process.hrtime.bigint();
    intervals.record(now - sampledAt);
    sampledAt = now;
  }, RESOLUTION_MS).unref();
}
