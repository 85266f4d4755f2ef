import type { RuntimeStatistics } from './fuzzed-service.ts';
import type { Period } from './honest-client.ts';
import type { Stalls } from './limits.ts';
import type { RoundReport } from './run-round.ts';

/** A round in a line: `1234 exchanges; 200: 300, 400: 900; …`. */
export function describeRound(
  round: RoundReport,
  statistics: RuntimeStatistics,
  stalls: Stalls,
): string {
  const { to, statuses, refusedForLoad, slowest, honest } = round;
  const counts = Array.from(statuses)
    .toSorted(([one], [next]) => one - next)
    .map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`);
  return [
    `${to} exchanges`,
    counts.join(', '),
    `${refusedForLoad} refused for load`,
    `slowest ${lengthOf(slowest)} ms`,
    `honest client ${honest.calls} calls, slowest ${lengthOf(honest.slowest)} ms`,
    `event loop ${statistics.turnMilliseconds} ms busy, ${lengthOf(statistics.longestHalt)} ms still`,
    `heap ${megabytes(statistics.heapBytes)} MB, resident ${megabytes(statistics.residentBytes)} MB`,
    `machine stalled ${Math.round(stalls.share * 100)} %`,
  ].join('; ');
}

function lengthOf({ from, to }: Period): number {
  return Math.round(to - from);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
