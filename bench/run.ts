import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CommandFailure } from '@gateway/command-line/command-failure';
import { expectNone, runCommand } from '@gateway/command-line/run-command';
import { LIMITS } from './competitors.ts';
import { measureAll } from './measure-all.ts';
import { HELP, type Options, OPTIONS, readOptions } from './options.ts';
import { ROOT } from './root.ts';
import { writePage } from './report/page.ts';
import { plot } from './report/plot.ts';
import { report } from './report/report.ts';

/** A median of fewer says little. */
const ENOUGH_ROUNDS = 5;

await runCommand({
  name: 'bench',
  help: HELP,
  options: OPTIONS,
  read: (given) => {
    expectNone(given.positionals);
    const options = readOptions(given);
    return ({ catchSignals }) => bench(options, catchSignals());
  },
});

async function bench(options: Options, interrupted: AbortSignal): Promise<string> {
  try {
    const results = await measureAll(options, interrupted);
    if (options.out !== undefined) {
      await writeFile(resolve(ROOT, options.out), `${JSON.stringify(results, null, 1)}\n`);
    }
    const text = report(results);
    if (results.whole && options.rounds >= ENOUGH_ROUNDS) {
      await writeFile(join(ROOT, 'docs', 'performance.svg'), plot(results.samples, LIMITS));
      const title = 'Requests per second of each server, by work';
      const picture = { file: 'performance.svg', title };
      await writePage(join(ROOT, 'docs', 'performance.md'), 'bench', picture, text);
    }
    return text;
  } catch (error) {
    if (interrupted.aborted) throw new CommandFailure(1, 'interrupted', { cause: error });
    throw error;
  }
}
