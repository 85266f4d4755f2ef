import type { RuntimeStatistics } from './fuzzed-service.ts';
import type { HonestReport } from './honest-client.ts';

/** Milliseconds, not counting time in which the machine had no processor for an almost idle process. */
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
 * Maximum heap size in bytes after a number of exchanges. The heap starts at 42 MB and grows by 3 to 5 kB with each exchange
 * until caches are full at 55 to 65 MB. Within 100,000 exchanges, the limit detects a leak of 250 bytes per exchange.
 */
function heapLimit(exchanges: number): number {
  return 50_000_000 + 6000 * Math.min(exchanges, 5000);
}

/** A round of exchanges. */
export interface Measured {
  /** The number of the first exchange. */
  readonly from: number;
  /** The number of the last exchange plus one. */
  readonly to: number;
  /** The number of responses that rejected a request because of load. */
  readonly refusedForLoad: number;
  readonly slowest: { readonly number: number };
  readonly honest: Pick<HonestReport, 'calls' | 'refusedForLoad' | 'added'>;
}

/** The limits that a round violated. */
export function limitFaults(
  { from, to, honest, refusedForLoad, slowest }: Measured,
  { heapBytes, residentBytes, turnMilliseconds }: Omit<RuntimeStatistics, 'longestHalt'>,
  times: Times,
): string[] {
  // Two idle cores reject no request because of load. On a busy machine, a statement may take too long and fail its batch.
  const load = 0.02 + times.stalled;
  const most: readonly (readonly [what: string, is: number, limit: number])[] = [
    ['bytes of the heap', heapBytes, heapLimit(to)],
    // 460 MB are normal, most of them garbage.
    ['bytes of resident memory', residentBytes, 600_000_000],
    // 50 on two idle cores; 200 at first, while programs are compiled beside a dozen other processes.
    ['milliseconds of one turn of the event loop', turnMilliseconds, 300],
    // 100 on two idle cores.
    ['milliseconds for which the event loop stood still', times.longestHalt, 2000],
    // An exchange may have several requests, each of which should take at most 2 s.
    [`milliseconds of exchange ${slowest.number}`, times.slowestExchange, 5000],
    // 260 ms are normal.
    ['milliseconds for which an honest client waited', times.slowestCall, 3000],
    ['answers that refuse for load', refusedForLoad, Math.ceil((to - from) * load)],
    [
      "an honest client's calls that were refused for load",
      honest.refusedForLoad,
      Math.ceil(honest.calls * load),
    ],
  ];
  // 90 calls a second are normal on two idle cores, 10 beside a dozen other processes.
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
