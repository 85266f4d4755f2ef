import type { Attributes, ObservableCounter } from '@opentelemetry/api';

/** Grows only. */
export interface Count {
  value: number;
}

/**
 * Counts that are plain numbers until somebody asks for the metrics: the library's own counters put all
 * labels into one text at each addition, which takes a hundred times as long.
 *
 * @returns makes a count, which is told from then on, at first as 0; to be asked once for the same labels
 */
export function createCounts(counter: ObservableCounter): (labels: Attributes) => Count {
  const counts: { readonly labels: Attributes; readonly count: Count }[] = [];
  counter.addCallback((result) => {
    for (const { labels, count } of counts) {
      result.observe(count.value, labels);
    }
  });
  return (labels) => {
    const count = { value: 0 };
    counts.push({ labels, count });
    return count;
  };
}
