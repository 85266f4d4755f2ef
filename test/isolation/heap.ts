import { setTimeout } from 'node:timers/promises';

/** Milliseconds from one look at the heap to the next. */
const INTERVAL = 200;
/** Milliseconds until a look is given up. */
const TIMEOUT = 20_000;

/** Looks at the heap of a service by its metrics, until it has ended. */
export function watchHeap(metricsUrl: string): { readonly peak: () => number } {
  let peak = 0;
  const watch = async (): Promise<void> => {
    for (;;) {
      const signal = AbortSignal.timeout(TIMEOUT);
      const text = await (await fetch(metricsUrl, { signal })).text();
      const [, used] = /^v8js_memory_heap_used_bytes(?:\{.*\})? (\S+)$/m.exec(text) ?? [];
      peak = Math.max(peak, Number(used));
      await setTimeout(INTERVAL);
    }
  };
  // It ends when there is nobody to ask any more.
  watch().catch(() => undefined);
  return { peak: () => peak };
}
