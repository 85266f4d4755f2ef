import type { RuntimeStatistics } from './fuzzed-service.ts';
import type { Period } from './honest-client.ts';
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
  /** Milliseconds for which the event loop may stand still: 100 are seen on two idle cores. */
  halt: 2000,
  /** Milliseconds of an exchange, which may be of several requests: the service promises an answer within 2 s. */
  exchange: 5000,
  /** Milliseconds for which the honest client may wait: 260 are seen, and the service promises an answer within 2 s. */
  honestWait: 3000,
  /** Calls of the honest client in a second: 90 on two idle cores, 10 where a dozen others want them. */
  honestCalls: 2,
  /** The share of exchanges, or of calls, that may be refused for the load alone. None is on two idle cores. */
  load: 0.02,
} as const;

/** How much of the time the machine had no processor for a process that wanted next to nothing of one. */
export interface Stalls {
  /** Milliseconds of the honest client's slowest call. */
  readonly ofSlowestCall: number;
  /** And of the slowest exchange. */
  readonly ofSlowestExchange: number;
  /** And of the longest time for which the event loop stood still. */
  readonly ofLongestHalt: number;
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

type Measured = Pick<
  RoundReport,
  'from' | 'to' | 'period' | 'slowest' | 'honest' | 'refusedForLoad'
>;

/** What was too much, too long, or too little in a round, but for what the machine is to blame for. */
export function limitFaults(
  { from, to, period, slowest, honest, refusedForLoad }: Measured,
  { heapBytes, residentBytes, turnMilliseconds, longestHalt }: RuntimeStatistics,
  stalls: Stalls,
): string[] {
  // Where others want the cores a statement may take too long, and with it fails all that shares it.
  const load = LIMITS.load + stalls.share;
  const most: readonly (readonly [what: string, is: number, limit: number])[] = [
    ['bytes of the heap', heapBytes, heapLimit(to)],
    ['bytes of resident memory', residentBytes, LIMITS.resident],
    ['milliseconds of one turn of the event loop', turnMilliseconds, LIMITS.turn],
    [
      'milliseconds for which the event loop stood still',
      lengthOf(longestHalt, stalls.ofLongestHalt),
      LIMITS.halt,
    ],
    [
      `milliseconds of exchange ${slowest.number}`,
      lengthOf(slowest, stalls.ofSlowestExchange),
      LIMITS.exchange,
    ],
    ['answers that refuse for load', refusedForLoad, Math.ceil((to - from) * load)],
    [
      'milliseconds for which an honest client waited',
      lengthOf(honest.slowest, stalls.ofSlowestCall),
      LIMITS.honestWait,
    ],
    [
      "an honest client's calls that were refused for load",
      honest.refusedForLoad,
      Math.ceil(honest.calls * load),
    ],
  ];
  const seconds = lengthOf(period, stalls.share * lengthOf(period, 0)) / 1000;
  const fewestCalls = Math.floor(seconds * LIMITS.honestCalls);
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

/** Milliseconds, without those for which the machine is to blame. */
function lengthOf({ from, to }: Period, stalled: number): number {
  return Math.round(to - from - stalled);
}
