import { constants, PerformanceObserver } from 'node:perf_hooks';
import { isJsonObject } from '@gateway/exact-json/json';
import type { Recorder } from '../recorder.ts';

const GC_TYPES = new Map<unknown, string>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** @returns stops */
export function recordGarbageCollection({ record }: Recorder): () => void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const detail: unknown = 'detail' in entry ? entry.detail : undefined;
      const kind = isJsonObject(detail) ? detail['kind'] : undefined;
      const type = GC_TYPES.get(kind) ?? 'other';
      record('v8js_gc_duration_seconds', entry.duration / 1000, { v8js_gc_type: type });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    observer.disconnect();
  };
}
