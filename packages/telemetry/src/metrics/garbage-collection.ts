import { constants, PerformanceObserver } from 'node:perf_hooks';
import { isJsonObject } from '@gateway/exact-json/json';
import type { Instruments } from './instruments.ts';

const GC_TYPES = new Map<unknown, string>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** @returns stops */
export function recordGarbageCollection({ histogram }: Instruments): () => void {
  const durations = histogram(
    'v8js_gc_duration_seconds',
    'Time that collecting garbage took.',
    [0.001, 0.01, 0.1, 1],
  );
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const detail: unknown = 'detail' in entry ? entry.detail : undefined;
      const kind = isJsonObject(detail) ? detail['kind'] : undefined;
      durations.record(entry.duration / 1000, { v8js_gc_type: GC_TYPES.get(kind) ?? 'other' });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    observer.disconnect();
  };
}
