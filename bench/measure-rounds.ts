import { type Cell, describeSample, type Sample } from './figures/sample.ts';
import { measureCell, warmUpCell } from './measure-cell.ts';
import { type Group, rotated, secondsOf } from './plan.ts';
import type { Servers } from './processes/session.ts';
import type { Progress } from '../scripts/progress.ts';

export interface Measuring {
  readonly rounds: number;
  readonly seconds: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Measures each cell once per round, after warming up each server with each workload. */
export async function measureRounds(
  groups: readonly Group[],
  session: Servers,
  measuring: Measuring,
): Promise<readonly Sample[]> {
  await warmUpGroups(groups, session, measuring);
  measuring.progress.expect(groups.flat().length * measuring.rounds);
  const samples: Sample[] = [];
  for (let round = 0; round < measuring.rounds; round += 1) {
    for (const group of groups) {
      samples.push(...(await measureGroup(group, round, session, measuring)));
    }
  }
  return samples;
}

/** Warms up each server with each workload before anything is measured. */
export async function warmUpGroups(
  groups: readonly Group[],
  session: Servers,
  { progress, signal }: Pick<Measuring, 'progress' | 'signal'>,
): Promise<void> {
  progress.tell('warming up');
  for (const cell of distinct(
    groups.flat(),
    ({ server, surface, workload }) => `${server} ${surface} ${workload}`,
  )) {
    await warmUpCell(cell, session, signal);
  }
}

/** Measures the cells of a group one right after another, starting with a different one in each round. */
export async function measureGroup(
  group: Group,
  round: number,
  session: Servers,
  { seconds, progress, signal }: Measuring,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const cell of rotated(group, round)) {
    signal.throwIfAborted();
    const figures = await measureCell(cell, session, secondsOf(cell, seconds), signal);
    const sample = { round, cell, ...figures };
    samples.push(sample);
    progress.done(describeSample(sample));
  }
  return samples;
}

/** Returns the first cell for each key. */
export function distinct(cells: readonly Cell[], key: (cell: Cell) => string): readonly Cell[] {
  return [...new Map(cells.map((cell) => [key(cell), cell])).values()];
}
