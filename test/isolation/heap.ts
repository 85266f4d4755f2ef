import { setTimeout } from 'node:timers/promises';

/** Milliseconds from one look at the heap to the next. */
const INTERVAL = 200;
/** Milliseconds until a look is given up. */
const TIMEOUT = 20_000;

/** Of each worker, if there are several. */
const HEAP_USED = /^v8js_memory_heap_used_bytes(?:\{.*\})? (\S+)$/gm;

export interface HeapWatch {
  /** The service is about to end, and its metrics with it. */
  readonly expectEnd: () => void;
  /** Resolves when there is nobody to ask any more. */
  readonly over: Promise<void>;
  /** The most that it was seen to hold, in bytes; NaN if it could not be seen. */
  readonly peak: () => number;
}

/** Looks at the heap of a service by its metrics, until it has ended. */
export function watchHeap(metricsUrl: string): HeapWatch {
  let peak = 0;
  let isEnding = false;
  const watch = async (): Promise<void> => {
    for (;;) {
      const signal = AbortSignal.timeout(TIMEOUT);
      const text = await (await fetch(metricsUrl, { signal })).text();
      const used = Array.from(text.matchAll(HEAP_USED), ([, bytes]) => Number(bytes));
      peak = used.length === 0 ? Number.NaN : Math.max(peak, ...used);
      await setTimeout(INTERVAL);
    }
  };
  const over = watch().catch(() => {
    if (!isEnding) peak = Number.NaN;
  });
  return {
    over,
    expectEnd: () => {
      isEnding = true;
    },
    peak: () => peak,
  };
}
