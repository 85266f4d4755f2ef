import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailure } from '@store-gateway/ops/command-line';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { checkAnswers } from '../check.ts';
import { reportedWorkloads } from '../load/calls.ts';
import { wrkVersion } from '../load/wrk.ts';
import { ENOUGH_PAIRS } from '../options.ts';
import { copyWith } from '../processes/edited-tree.ts';
import { createProgress } from '../../scripts/progress.ts';
import type { QuickCell } from '../quick/compare.ts';
import type { PairRow } from '../quick/pair-figures.ts';
import { measurePairs } from '../quick/pairs.ts';
import { prepareVersion, type Version } from '../quick/versions.ts';
import { readMachine } from '../report/machine.ts';
import { ROOT } from '../root.ts';
import { MECHANISMS, type Mechanism, replaced } from './mechanisms.ts';
import { PAGE, type Price, pricesPage } from './page.ts';

/** Includes hot lists, whose cost varies from second to second, as their spread shows. */
const CELLS: readonly QuickCell[] = (['rest', 'graphql'] as const).flatMap((surface) =>
  reportedWorkloads.map((workload) => ({ surface, workload })),
);

interface PriceOptions {
  /** Names of mechanisms; by default all. */
  readonly only: RegExp | undefined;
  readonly pairs: number;
}

interface Measuring {
  readonly before: Version;
  readonly pairs: number;
  readonly signal: AbortSignal;
  readonly tell: (what: string) => void;
}

/** Measures the gateway without each mechanism, and writes the page if all mechanisms were measured, with enough pairs. */
export async function priceRun(
  { only, pairs }: PriceOptions,
  signal: AbortSignal,
): Promise<string> {
  const mechanisms = MECHANISMS.filter(({ name }) => only?.test(name) ?? true);
  if (mechanisms.length === 0)
    throw new CommandFailure(2, '--only matches no mechanism; see --help');
  const wrk = await wrkVersion(signal);
  const { tell } = createProgress('cells');
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryDirectory()).path;
  tell('starting the unedited gateway');
  const before = await prepareVersion('before', ROOT, folder, stack, signal);
  const measuring = { before, pairs, signal, tell };
  tell('an unedited copy');
  const same = await measureEdited([], measuring);
  const prices: Price[] = [];
  for (const mechanism of mechanisms) {
    tell(`without ${mechanism.name}`);
    prices.push({ mechanism, rows: await measureEdited(mechanism.edits, measuring) });
  }
  const machine = await readMachine(before.postgres.version, wrk);
  const page = pricesPage({ machine, pairs, same, prices });
  if (only !== undefined || pairs < ENOUGH_PAIRS) return page;
  await writeFile(join(ROOT, PAGE), page);
  return `${page}\nwritten to ${PAGE}\n`;
}

/** Measures an edited copy beside the unedited gateway, after checking that both respond alike. */
async function measureEdited(
  edits: Mechanism['edits'],
  { before, pairs, signal, tell }: Measuring,
): Promise<readonly PairRow[]> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryDirectory()).path;
  const tree = stack.use(
    await copyWith(async (edit) => {
      for (const each of edits) await edit(each.file, (source) => replaced(source, each));
    }),
  );
  const now = await prepareVersion('now', tree.path, folder, stack, signal);
  return await measurePairs(
    CELLS,
    pairs,
    { now, before },
    {
      folder,
      signal,
      tell,
      onStarted: async (pair) => {
        // Creates that were in flight when the load of an earlier pair ended may have left rows.
        await before.store.removeCreated();
        await now.store.removeCreated();
        for (const surface of ['rest', 'graphql'] as const) {
          await checkAnswers(surface, pair.now, pair.before);
        }
      },
    },
  );
}
