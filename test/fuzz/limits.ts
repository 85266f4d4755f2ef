import type { RuntimeStatistics } from './fuzzed-service.ts';
import type { HonestReport } from './honest-client.ts';

/** Milliseconds without those for which the machine had no processor for an almost idle process. */
export interface Times {
  readonly slowestCall: number;
  readonly slowestExchange: number;
  /** The longest time for which the event loop stood still. */
  readonly longestHalt: number;
  readonly round: number;
  /** The share of the round for which the machine had no processor, 0 to 1. */
  readonly stalled: number;
}

/**
 * Bytes of the heap after so many exchanges. It starts with 42 MB and grows by 3 to 5 kB with each exchange until caches are
 * full, up to 55 to 65 MB: in 100,000 exchanges none may leak 250 bytes.
 */
function heapLimit(exchanges: number): number {
  return 50_000_000 + 6000 * Math.min(exchanges, 5000);
}

/** A round of exchanges. */
export interface Measured {
  /** The number of the first exchange. */
  readonly from: number;
  /** The number after that of the last exchange. */
  readonly to: number;
  /** The number of answers that refused for the load. */
  readonly refusedForLoad: number;
  readonly slowest: { readonly number: number };
  readonly honest: Pick<HonestReport, 'calls' | 'refusedForLoad' | 'added'>;
}

/** What was too much, too long or too little in a round. */
export function limitFaults(
  { from, to, honest, refusedForLoad, slowest }: Measured,
  { heapBytes, residentBytes, turnMilliseconds }: Omit<RuntimeStatistics, 'longestHalt'>,
  times: Times,
): string[] {
  // No request is refused for load on two idle cores. On a busy machine, a statement may take too long and fail its batch.
  const load = 0.02 + times.stalled;
  const most: readonly (readonly [what: string, is: number, limit: number])[] = [
    ['bytes of the heap', heapBytes, heapLimit(to)],
    // 460 MB are normal, most of them garbage.
    ['bytes of resident memory', residentBytes, 600_000_000],
    // On two idle cores 50; 200 at first, while programs are compiled beside a dozen other processes.
    ['milliseconds of one turn of the event loop', turnMilliseconds, 300],
    // On two idle cores 100.
    ['milliseconds for which the event loop stood still', times.longestHalt, 2000],
    // Of several requests; each should take at most 2 s.
    [`milliseconds of exchange ${slowest.number}`, times.slowestExchange, 5000],
    // 260 are normal.
    ['milliseconds for which an honest client waited', times.slowestCall, 3000],
    ['answers that refuse for load', refusedForLoad, Math.ceil((to - from) * load)],
    [
      "an honest client's calls that were refused for load",
      honest.refusedForLoad,
      Math.ceil(honest.calls * load),
    ],
  ];
  // 90 a second are normal on two idle cores, 10 beside a dozen other processes.
  const fewestCalls = Math.floor((times.round / 1000) * 2);
  return [
    ...most
      .filter(([, is, limit]) => is > limit)
      .map(([what, is, limit]) => `${what}: ${is}; at most ${limit} are allowed`),
    ...(honest.calls < fewestCalls
      ? [`an honest client's calls: ${honest.calls}; at least ${fewestCalls} are expected`]
      : []),
    ...(honest.calls > honest.refusedForLoad && honest.added.size === 0
      ? ['an honest client has added nothing']
      : []),
  ];
}
