import { constants, PerformanceObserver } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

const GC_TYPES = new Map<unknown, string>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** @returns stops looking */
export function measureCollections(meter: Meter): () => void {
  const durations = meter.createHistogram('v8js_gc_duration_seconds', {
    description: 'Time that collecting garbage took.',
    advice: { explicitBucketBoundaries: [0.001, 0.01, 0.1, 1] },
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      durations.record(entry.duration / 1000, {
        v8js_gc_type: GC_TYPES.get(kindOf(entry)) ?? 'other',
      });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    observer.disconnect();
  };
}

function kindOf(entry: object): unknown {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined;
  return typeof detail === 'object' && detail !== null && 'kind' in detail
    ? detail.kind
    : undefined;
}
