import type { Cell } from '../figures/sample.ts';
import { reportedWorks } from '../load/calls.ts';

/** The gateways that are measured: the name of each, and how many workers it has. */
export const GATEWAYS = [
  ['one process', 1],
  ['two workers', 2],
] as const;

/** What the model's costs come from: a lone request, a process that is used well, and one in which requests wait. */
export const FITTED = [1, 32, 256] as const;

/** What the model predicts from them. */
const PREDICTED = [
  [1, [8, 64]],
  [2, [32, 64, 256]],
] as const;

const cell = (workers: number, work: Cell['work'], connections: number): Cell => ({
  server: GATEWAYS[workers === 1 ? 0 : 1][0],
  surface: 'rest',
  work,
  connections,
});

/** The measured cells of each work. */
export const CELLS: readonly Cell[] = reportedWorks.flatMap((work) =>
  FITTED.map((connections) => cell(1, work, connections)).concat(
    PREDICTED.flatMap(([workers, all]) =>
      all.map((connections) => cell(workers, work, connections)),
    ),
  ),
);
