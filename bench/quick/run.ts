import { join } from 'node:path';
import { CommandFailure } from '@gateway/command-line/command-failure';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { median } from '../figures/medians.ts';
import { wrkVersion } from '../load/wrk.ts';
import { createProgress } from '../progress.ts';
import { ROOT } from '../root.ts';
import { baseCommit } from './base-commit.ts';
import { baseTree } from './base-tree.ts';
import { type QuickCell, ratioOf, warmUpPair } from './compare.ts';
import { compareByStages, MOST, type Ratios, type Stage } from './stages.ts';
import { prepareVersion, startVersion, type Version } from './versions.ts';

const CELLS: readonly QuickCell[] = [
  { surface: 'rest', work: 'hot' },
  { surface: 'rest', work: 'mixed' },
  { surface: 'rest', work: 'get' },
  { surface: 'graphql', work: 'mixed' },
  { surface: 'graphql', work: 'create' },
];

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
  const commit = await baseCommit(ref);
  if (commit === undefined) {
    return 'There is no earlier commit with other code here (is the clone shallow?): nothing to compare with.\n';
  }
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryDirectory()).path;
  const { tell } = createProgress();
  tell(`comparing with ${commit.slice(0, 9)}`);
  const root = join(folder, 'base');
  const [now] = await Promise.all([
    prepareVersion('now', ROOT, folder, stack, signal),
    baseTree(commit, root, signal),
  ]);
  const before = await prepareVersion('before', root, folder, stack, signal);

  const { ratios, slower } = await compareByStages(CELLS, async (cells, stage) => {
    const found = await measureStage(cells, stage, { now, before }, folder, signal);
    for (const [cell, some] of found) {
      tell(`${nameOf(cell)}: ${some.map((ratio) => ratio.toFixed(2)).join(' ')}`);
    }
    return found;
  });
  const lines = CELLS.map(
    (cell) => `${nameOf(cell)} ${(median(ratios.get(cell) ?? []) ?? 1).toFixed(2)} ×`,
  );
  const costs = `CPU time per request, by that of ${commit.slice(0, 9)}: ${lines.join(', ')}`;
  if (slower.length > 0) {
    throw new CommandFailure(
      1,
      `${costs}. More than ${MOST} times: ${slower.map(nameOf).join(', ')}`,
    );
  }
  return `${costs}\n`;
}

/** Measures the cells in new processes. */
async function measureStage(
  cells: readonly QuickCell[],
  { rounds }: Stage,
  { now, before }: Readonly<Record<Version['name'], Version>>,
  folder: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<QuickCell, Ratios>> {
  await using stack = new AsyncDisposableStack();
  const start = (version: Version) => startVersion(version, folder, stack, signal);
  const pair = { before: await start(before), now: await start(now) };
  for (const cell of cells) await warmUpPair(cell, pair, signal);
  const found = new Map<QuickCell, number[]>(cells.map((cell) => [cell, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [cell, ratios] of found) {
      const ratio = await ratioOf(cell, pair, round, signal);
      if (ratio !== undefined) ratios.push(ratio);
    }
  }
  for (const [cell, { length }] of found) {
    if (length < rounds / 2) throw new CommandFailure(1, `${nameOf(cell)} is answered with errors`);
  }
  return found;
}

function nameOf({ surface, work }: QuickCell): string {
  return `${surface}/${work}`;
}
