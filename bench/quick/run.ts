import { join } from 'node:path';
import { CommandFailure } from '@store-gateway/command-line/command-failure';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { median } from '../figures/medians.ts';
import { wrkVersion } from '../load/wrk.ts';
import { createProgress } from '../progress.ts';
import { ROOT } from '../root.ts';
import { baseCommit } from './base-commit.ts';
import { baseTree } from './base-tree.ts';
import { type Costs, type QuickCell, ratioOf, warmUpPair } from './compare.ts';
import { compareByStages, MOST, type Ratios, type Stage } from './stages.ts';
import { prepareVersion, startVersion, type Version } from './versions.ts';

/** Not hot: how many requests share a response there, and so what one costs, differs from second to second. */
const CELLS: readonly QuickCell[] = (['rest', 'graphql'] as const).flatMap((surface) =>
  (['mixed', 'get', 'create'] as const).map((work) => ({ surface, work })),
);

interface Figure {
  readonly cell: QuickCell;
  readonly of: keyof Costs;
}

const FIGURES: readonly Figure[] = CELLS.flatMap((cell) =>
  (['gateway', 'all'] as const).map((of) => ({ cell, of })),
);

/**
 * Compares what a request costs with what it cost in an earlier commit.
 *
 * @throws CommandFailure if it costs more than it may
 */
export async function quickBenchmark(
  ref: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  await wrkVersion(signal);
  const base = await baseCommit(ref);
  if ('none' in base) return `Nothing was compared: ${base.none}.\n`;
  const short = base.commit.slice(0, 9);
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryDirectory()).path;
  const { tell } = createProgress();
  tell(`comparing with ${short}, ${base.why}`);
  const root = join(folder, 'base');
  await baseTree(base.commit, root, signal);
  const now = await prepareVersion('now', ROOT, folder, stack, signal);
  const before = await prepareVersion('before', root, folder, stack, signal);

  const { ratios, slower } = await compareByStages(FIGURES, async (figures, stage) => {
    const found = await measureStage(figures, stage, { now, before }, folder, signal);
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
  { now, before }: Readonly<Record<Version['name'], Version>>,
  folder: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<Figure, Ratios>> {
  await using stack = new AsyncDisposableStack();
  const start = (version: Version) => startVersion(version, folder, stack, signal);
  const pair = { before: await start(before), now: await start(now) };
  const found = new Map<QuickCell, Costs[]>(figures.map(({ cell }) => [cell, []]));
  for (const cell of found.keys()) await warmUpPair(cell, pair, signal);
  for (let round = 0; round < rounds; round += 1) {
    for (const [cell, ratios] of found) {
      const ratio = await ratioOf(cell, pair, round, signal);
      if (ratio !== undefined) ratios.push(ratio);
    }
  }
  for (const [cell, { length }] of found) {
    if (length < rounds / 2)
      throw new CommandFailure(1, `${titleOf(cell)} is answered with errors`);
  }
  return new Map(
    figures.map((figure) => [
      figure,
      (found.get(figure.cell) ?? []).map((each) => each[figure.of]),
    ]),
  );
}

function titleOf({ surface, work }: QuickCell): string {
  return `${surface}/${work}`;
}

function nameOf({ cell, of }: Figure): string {
  return of === 'all' ? `${titleOf(cell)} with PostgreSQL` : titleOf(cell);
}
