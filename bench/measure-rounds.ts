import type { Cell, Sample } from './figures/sample.ts';
import { measureCell, warmUpCell } from './measure-cell.ts';
import { cellsOfRound, type Group } from './plan.ts';
import type { Session } from './processes/session.ts';
import type { Progress } from './progress.ts';

export interface Measuring {
  readonly rounds: number;
  readonly seconds: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Measures each cell once a round, after each server was warmed up for each work. */
export async function measureRounds(
  groups: readonly Group[],
  session: Session,
  { rounds, seconds, progress, signal }: Measuring,
): Promise<readonly Sample[]> {
  const cells = groups.flat();
  progress.tell('warming up');
  for (const cell of distinct(
    cells,
    ({ server, surface, work }) => `${server} ${surface} ${work}`,
  )) {
    await warmUpCell(cell, session, signal);
  }
  progress.expect(cells.length * rounds);
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const cell of cellsOfRound(groups, round)) {
      signal.throwIfAborted();
      const sample = { round, cell, ...(await measureCell(cell, session, seconds, signal)) };
      samples.push(sample);
      progress.done(sample);
    }
  }
  return samples;
}

/** The first cell of each key. */
export function distinct(cells: readonly Cell[], key: (cell: Cell) => string): readonly Cell[] {
  return [...new Map(cells.map((cell) => [key(cell), cell])).values()];
}
