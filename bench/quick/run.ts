import { join } from 'node:path';
import { CommandFailure } from '@store-gateway/ops/command-line';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { median } from '../figures/medians.ts';
import { wrkVersion } from '../load/wrk.ts';
import { createProgress } from '../../scripts/progress.ts';
import { ROOT } from '../root.ts';
import { baseCommit } from './base-commit.ts';
import { baseTree } from './base-tree.ts';
import type { Costs, QuickCell } from './compare.ts';
import { pairsReport } from './pair-figures.ts';
import { measurePair, measurePairs, type Versions } from './pairs.ts';
import { compareByStages, MOST, type Ratios, type Stage } from './stages.ts';
import { prepareVersion } from './versions.ts';

/**
 * Without hot lists, because the number of requests that share a response varies from second to second, and so does their cost.
 */
const CELLS: readonly QuickCell[] = (['rest', 'graphql'] as const).flatMap((surface) =>
  (['mixed', 'get', 'create'] as const).map((workload) => ({ surface, workload })),
);

interface Figure {
  readonly cell: QuickCell;
  readonly of: keyof Costs;
}

const FIGURES: readonly Figure[] = CELLS.flatMap((cell) =>
  (['gateway', 'all'] as const).map((of) => ({ cell, of })),
);

/**
 * Compares the CPU time of requests with that of an earlier commit.
 *
 * @param pairs how many pairs of processes to measure; by default, it measures until it is clear whether the comparison fails
 * @throws CommandFailure if the CPU time has increased by more than is allowed
 */
export async function quickBenchmark(
  { base: ref, pairs }: { readonly base: string | undefined; readonly pairs: number | undefined },
  signal: AbortSignal,
): Promise<string> {
  await wrkVersion(signal);
  const base = await baseCommit(ref);
  if ('none' in base) return `Nothing was compared: ${base.none}.\n`;
  const short = base.commit.slice(0, 9);
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryDirectory()).path;
  const { tell } = createProgress('cells');
  tell(`comparing with ${short}, ${base.why}`);
  const root = join(folder, 'base');
  await baseTree(base.commit, root, signal);
  const now = await prepareVersion('now', ROOT, folder, stack, signal);
  const before = await prepareVersion('before', root, folder, stack, signal);
  const versions = { now, before };
  if (pairs !== undefined) {
    const rows = await measurePairs(CELLS, pairs, versions, { folder, signal, tell });
    return `Compared with ${short}, ${base.why}, in ${pairs} pairs of processes:\n\n${pairsReport(rows)}`;
  }

  const { ratios, slower } = await compareByStages(FIGURES, async (figures, stage) => {
    const found = await measureStage(figures, stage, versions, folder, signal);
    for (const [figure, some] of found) {
      tell(`${nameOf(figure)}: ${some.map((ratio) => ratio.toFixed(2)).join(' ')}`);
    }
    return found;
  });
  const lines = FIGURES.map(
    (figure) => `${nameOf(figure)} ${(median(ratios.get(figure) ?? []) ?? 1).toFixed(2)}`,
  );
  const costs = `CPU time per request ÷ that of ${short}, ${base.why}: ${lines.join(', ')}`;
  if (slower.length > 0) {
    throw new CommandFailure(1, `${costs}. Over ${MOST}: ${slower.map(nameOf).join(', ')}`);
  }
  return `${costs}\n`;
}

/** Measures the cells of figures in new processes. */
async function measureStage(
  figures: readonly Figure[],
  { rounds }: Stage,
  versions: Versions,
  folder: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<Figure, Ratios>> {
  const cells = new Set(figures.map(({ cell }) => cell));
  const found = await measurePair(cells, rounds, versions, { folder, signal });
  return new Map(
    figures.map((figure) => [
      figure,
      (found.get(figure.cell) ?? []).map((each) => each[figure.of]),
    ]),
  );
}

function titleOf({ surface, workload }: QuickCell): string {
  return `${surface}/${workload}`;
}

function nameOf({ cell, of }: Figure): string {
  return of === 'all' ? `${titleOf(cell)} with PostgreSQL` : titleOf(cell);
}
