import type { RuntimeStatistics } from './fuzzed-service.ts';
import type { RoundReport } from './run-round.ts';

/** What the service may come to while it is under attack. */
const LIMITS = {
  /** Bytes of resident memory, in all: 460 MB are seen, most of them garbage that is yet to be collected. */
  resident: 600_000_000,
  /**
   * Milliseconds of a processor that one turn of the event loop may take: 50 are seen on two idle cores, and 200 at
   * first, while programs are compiled and a dozen others want the cores.
   */
  turn: 300,
  /** Milliseconds for which the honest client may wait: 260 are seen, and the service promises an answer within 2 s. */
  honestWait: 3000,
  /** Calls of the honest client for each exchange beside it, 0.16 are seen. */
  honestCalls: 0.01,
  /** The share of exchanges, or of calls, that may be refused for the load alone. None is on two idle cores. */
  load: 0.02,
} as const;

/** How much of the time the machine had no processor for a process that wanted next to nothing of one. */
export interface Stalls {
  /** Milliseconds of the honest client's slowest call. */
  readonly ofSlowestCall: number;
  /** The share of the round, 0 to 1. */
  readonly share: number;
}

/**
 * Bytes of the heap after so many exchanges. It has 42 MB at first; until caches are full, 3 to 5 kB come with each;
 * and then it has 55 to 65 MB: in 100 000 exchanges none may leave 250 bytes behind.
 */
function heapLimit(exchanges: number): number {
  return 50_000_000 + 6000 * Math.min(exchanges, 5000);
}

type Measured = Pick<RoundReport, 'from' | 'to' | 'honest' | 'refusedForLoad'>;

/** What was too much, too long, or too little in a round, but for what the machine is to blame for. */
export function limitFaults(
  { from, to, honest, refusedForLoad }: Measured,
  { heapBytes, residentBytes, turnMilliseconds }: RuntimeStatistics,
  stalls: Stalls,
): string[] {
  const waited = Math.round(honest.slowest.to - honest.slowest.from - stalls.ofSlowestCall);
  // Where others want the cores a statement may take too long, and with it fails all that shares it.
  const load = LIMITS.load + stalls.share;
  const most: readonly (readonly [what: string, is: number, limit: number])[] = [
    ['bytes of the heap', heapBytes, heapLimit(to)],
    ['bytes of resident memory', residentBytes, LIMITS.resident],
    ['milliseconds of one turn of the event loop', turnMilliseconds, LIMITS.turn],
    ['answers that refuse for load', refusedForLoad, Math.ceil((to - from) * load)],
    ['milliseconds for which an honest client waited', waited, LIMITS.honestWait],
    [
      "an honest client's calls that were refused for load",
      honest.refusedForLoad,
      Math.ceil(honest.calls * load),
    ],
  ];
  const fewestCalls = Math.floor((to - from) * LIMITS.honestCalls);
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
