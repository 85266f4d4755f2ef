import type { Cell, Sample } from './sample.ts';
import { deviation, isOff, medianSpeed, type Speed } from './speed.ts';

/** A group that was measured in a round, and the machine's speed just before and after. */
export interface GroupRun {
  readonly group: readonly Cell[];
  readonly round: number;
  readonly samples: readonly Sample[];
  readonly speeds: readonly Speed[];
}

/** Returns the runs during which the machine's speed was unusual, the largest deviation first. */
export function outliers(runs: readonly GroupRun[]): readonly GroupRun[] {
  const usual = medianSpeed(runs.flatMap(({ speeds }) => speeds));
  return runs
    .filter(({ speeds }) => isOff(speeds, usual))
    .toSorted((a, b) => deviation(b.speeds, usual) - deviation(a.speeds, usual));
}

/** Of two runs of the same group in the same round, returns the one with the more usual machine speed. */
export function steadier(one: GroupRun, other: GroupRun, usual: Speed): GroupRun {
  return deviation(other.speeds, usual) < deviation(one.speeds, usual) ? other : one;
}
