import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rejectPositionals, runCommand } from '@store-gateway/ops/command-line';
import { LIMITS } from './competitors.ts';
import { interruptible } from './interruptible.ts';
import { measureAll, type Results } from './measure-all.ts';
import { HELP, type Mode, type Options, OPTIONS, readMode } from './options.ts';
import { installPeers } from './peers/install.ts';
import { priceRun } from './prices/run.ts';
import { bundle } from './processes/bundle.ts';
import { quickBenchmark } from './quick/run.ts';
import { ROOT } from './root.ts';
import { benchmarkPage, PAGE, PICTURE } from './report/benchmark-page.ts';
import { plot } from './report/plot.ts';
import { report } from './report/report.ts';
import { whyKept } from './report/speed-line.ts';

/** Minimum rounds for the report; the median of fewer means little. */
const ENOUGH_ROUNDS = 5;

await runCommand({
  name: 'bench',
  help: HELP,
  options: OPTIONS,
  read: (given) => {
    rejectPositionals(given.positionals);
    const mode = readMode(given);
    return ({ catchSignals }) => interruptible(catchSignals(), (signal) => run(mode, signal));
  },
});

async function run(mode: Mode, signal: AbortSignal): Promise<string> {
  switch (mode.kind) {
    case 'quick':
      return quickBenchmark(mode, signal);
    case 'prices':
      return priceRun(mode, signal);
    default:
      return bench(mode, signal);
  }
}

async function bench(options: Options, interrupted: AbortSignal): Promise<string> {
  await installPeers(interrupted);
  await bundle(ROOT, interrupted);
  const results = await measureAll(options, interrupted);
  if (options.out !== undefined) {
    await writeFile(resolve(ROOT, options.out), `${JSON.stringify(results, null, 1)}\n`);
  }
  const text = report(results);
  const isReport = results.whole && results.rounds >= ENOUGH_ROUNDS;
  return isReport ? `${text}\n${await write(results)}` : text;
}

/** Writes the page and its plot, unless this machine is slower than the page's; resolves to a sentence about the outcome. */
async function write(results: Results): Promise<string> {
  const page = join(ROOT, PAGE);
  const kept = whyKept(await readFile(page, 'utf8'), results.speed);
  if (kept !== undefined) return kept;
  await writeFile(join(ROOT, PICTURE), plot(results.samples, LIMITS));
  await writeFile(page, benchmarkPage(results));
  return `written to ${PAGE}; update the missed targets in docs/performance.md`;
}
