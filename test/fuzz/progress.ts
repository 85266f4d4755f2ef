import type { Inside } from './fuzzed-service.ts';
import type { RoundReport } from './run-round.ts';

/** A round in a line: `1234 exchanges; 200: 300, 400: 900; …`. */
export function describeRound(round: RoundReport, inside: Inside): string {
  const { to, statuses, ofLoad, slowest, honest } = round;
  const counts = Array.from(statuses)
    .toSorted(([one], [next]) => one - next)
    .map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`);
  return [
    `${to} exchanges`,
    counts.join(', '),
    `${ofLoad} refused for load`,
    `slowest ${Math.round(slowest)} ms`,
    `honest client ${honest.calls} calls, slowest ${Math.round(honest.slowest)} ms`,
    `event loop ${inside.turnMilliseconds} ms busy, ${inside.delayMilliseconds} ms late`,
    `heap ${megabytes(inside.heapBytes)} MB, resident ${megabytes(inside.residentBytes)} MB`,
  ].join('; ');
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
