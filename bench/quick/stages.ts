import { median } from '../figures/medians.ts';

/** Maximum ratio of a request's CPU time now to that before. */
export const MOST = 1.1;

/** The ratios of a request's CPU time now to that before, one for each pair of measurements. */
export type Ratios = readonly number[];

/**
 * A stage of the comparison. Figures that look slower are measured again, longer and in new processes, so that noise doesn't fail
 * the comparison: the same program may be a few percent slower in one process than in another.
 */
export interface Stage {
  readonly rounds: number;
  /** The median above which it is measured again, or fails. */
  readonly most: number;
  /** The minimum share of ratios above 1. With noise alone, the share is half. */
  readonly share: number;
}

export const STAGES: readonly Stage[] = [
  // The first threshold is low, so that no slowdown is missed.
  { rounds: 5, most: 1.07, share: 0.5 },
  { rounds: 10, most: 1.07, share: 0.6 },
  { rounds: 20, most: MOST, share: 0.75 },
];

/** Maximum number of figures to measure again, the slowest first, because a single slower figure is enough to fail. */
const AGAIN = 4;

/** Whether a figure looks slower after a stage. */
export function isSuspect(ratios: Ratios, { most, share }: Stage): boolean {
  const slower = ratios.filter((ratio) => ratio > 1).length;
  return (median(ratios) ?? 1) > most && slower >= share * ratios.length;
}

/**
 * Measures figures in stages. Each stage measures those that still look slower.
 *
 * @returns the ratios of each figure, and the slower figures
 */
export async function compareByStages<Of>(
  figures: readonly Of[],
  measureStage: (figures: readonly Of[], stage: Stage) => Promise<ReadonlyMap<Of, Ratios>>,
): Promise<{ readonly ratios: ReadonlyMap<Of, Ratios>; readonly slower: readonly Of[] }> {
  const measured = new Map<Of, Ratios>();
  let slower = figures;
  for (const [number, stage] of STAGES.entries()) {
    for (const [figure, ratios] of await measureStage(slower, stage)) {
      // The first stage's ratios must not count, because they are the reason for measuring again.
      const earlier = number < 2 ? [] : (measured.get(figure) ?? []);
      measured.set(figure, [...earlier, ...ratios]);
    }
    const ratiosOf = (figure: Of) => measured.get(figure) ?? [];
    slower = slower
      .filter((figure) => isSuspect(ratiosOf(figure), stage))
      .toSorted((a, b) => (median(ratiosOf(b)) ?? 1) - (median(ratiosOf(a)) ?? 1))
      .slice(0, AGAIN);
    if (slower.length === 0) break;
  }
  return { ratios: measured, slower };
}
