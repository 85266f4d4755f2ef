import { median } from '../figures/medians.ts';

/** A request may cost so many times what it cost before. */
export const MOST = 1.1;

/** CPU time of a request now by that before, of each pair of measurements. */
export type Ratios = readonly number[];

/**
 * The benchmark is not red for noise: what looks slower is measured again, longer and in new processes, since one and the same
 * program may be a few percent slower in one process than in another.
 */
export interface Stage {
  readonly rounds: number;
  /** The median above which it is measured again, or fails. */
  readonly most: number;
  /** The share of the ratios that have to be above 1, whatever their median is: half of them is noise. */
  readonly share: number;
}

export const STAGES: readonly Stage[] = [
  // Easily at first, so that nothing is missed.
  { rounds: 5, most: 1.07, share: 0.5 },
  { rounds: 10, most: 1.07, share: 0.6 },
  { rounds: 20, most: MOST, share: 0.75 },
];

/** How many figures are measured again, of two works or more, those that look slowest: one that is slower is enough to fail. */
const AGAIN = 4;

/** Whether a work looks slower after a stage. */
export function isSuspect(ratios: Ratios, { most, share }: Stage): boolean {
  const slower = ratios.filter((ratio) => ratio > 1).length;
  return (median(ratios) ?? 1) > most && slower >= share * ratios.length;
}

/**
 * Measures works by stages, in each those that still look slower.
 *
 * @returns the ratios of each work, and the works that are slower
 */
export async function compareByStages<Of>(
  works: readonly Of[],
  measureStage: (works: readonly Of[], stage: Stage) => Promise<ReadonlyMap<Of, Ratios>>,
): Promise<{ readonly ratios: ReadonlyMap<Of, Ratios>; readonly slower: readonly Of[] }> {
  const measured = new Map<Of, Ratios>();
  let slower = works;
  for (const [number, stage] of STAGES.entries()) {
    for (const [work, ratios] of await measureStage(slower, stage)) {
      // The first look is why it is measured again, so that it mustn't decide.
      const earlier = number < 2 ? [] : (measured.get(work) ?? []);
      measured.set(work, [...earlier, ...ratios]);
    }
    const ratiosOf = (work: Of) => measured.get(work) ?? [];
    slower = slower
      .filter((work) => isSuspect(ratiosOf(work), stage))
      .toSorted((a, b) => (median(ratiosOf(b)) ?? 1) - (median(ratiosOf(a)) ?? 1))
      .slice(0, AGAIN);
    if (slower.length === 0) break;
  }
  return { ratios: measured, slower };
}
