import type { Cell, Sample } from './sample.ts';
import { deviation, isOff, medianSpeed, type Speed } from './speed.ts';

/** A group that was measured in a round, and the machine's speed just before and after. */
export interface Visit {
  readonly group: readonly Cell[];
  readonly round: number;
  readonly samples: readonly Sample[];
  readonly speeds: readonly Speed[];
}

/** The visits at which the machine was not as fast as usual, those that differ most first. */
export function offVisits(visits: readonly Visit[]): readonly Visit[] {
  const usual = medianSpeed(visits.flatMap(({ speeds }) => speeds));
  return visits
    .filter(({ speeds }) => isOff(speeds, usual))
    .toSorted((a, b) => deviation(b.speeds, usual) - deviation(a.speeds, usual));
}

/** Of two visits of the same group in the same round, the one at which the machine was more as usual. */
export function steadier(one: Visit, other: Visit, usual: Speed): Visit {
  return deviation(other.speeds, usual) < deviation(one.speeds, usual) ? other : one;
}
