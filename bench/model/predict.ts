import { reportedWorks, type Work } from '../load/calls.ts';
import { FITTED } from './cells.ts';
import type { Costs } from './costs.ts';
import { fitCosts } from './fit.ts';
import type { Measured, MeasuredCell } from './measured.ts';
import { type Outcome, simulate } from './simulate.ts';
import { onOneMachine } from './systems.ts';

/** What the model makes of a cell that was measured. */
export interface Prediction {
  readonly measured: MeasuredCell;
  readonly predicted: Outcome;
  /** Whether the costs come from this cell. */
  readonly isFitted: boolean;
  /** How much more requests a second it predicts, in parts of 1. */
  readonly error: number;
}

/** The costs of each work. */
export function costsOfWorks({ cells, machine }: Measured): ReadonlyMap<Work, Costs> {
  return new Map(
    reportedWorks.map((work) => {
      const [lone, busy, crowd] = FITTED.map((connections) =>
        cells.find(
          (cell) => cell.work === work && cell.workers === 1 && cell.connections === connections,
        ),
      );
      if (lone === undefined || busy === undefined || crowd === undefined) {
        throw new Error(`not measured: ${work}`);
      }
      return [work, fitCosts(work, { lone, busy, crowd }, machine.cores)];
    }),
  );
}

/** Predicts each cell that was measured. */
export function predictCells(
  { cells, machine }: Measured,
  costs: ReadonlyMap<Work, Costs>,
): readonly Prediction[] {
  return cells.flatMap((measured) => {
    const { work, workers, connections, supervisorCpu: supervisor } = measured;
    const own = costs.get(work);
    if (own === undefined) return [];
    const { cores } = machine;
    const predicted = simulate(onOneMachine(own, { cores, workers, supervisor, connections }));
    return [
      {
        measured,
        predicted,
        isFitted: workers === 1 && FITTED.some((each) => each === connections),
        error: predicted.requestsPerSecond / measured.requestsPerSecond - 1,
      },
    ];
  });
}
