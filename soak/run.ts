import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ROOT } from '../bench/processes/folder.ts';
import { writePage } from '../bench/report/page.ts';
import { CommandFailure } from '@gateway/command-line/command-failure';
import { expectNone, runCommand } from '@gateway/command-line/run-command';
import { FAULTS } from './faults.ts';
import { FULL_LENGTH, HELP, type Options, OPTIONS, readOptions } from './options.ts';
import { plot, TITLE } from './plot.ts';
import { report } from './report.ts';
import { soak } from './soak.ts';
import { failuresOf } from './verdict.ts';

await runCommand({
  name: 'soak',
  help: HELP,
  options: OPTIONS,
  read: (given) => {
    expectNone(given.positionals);
    const options = readOptions(given);
    return () => run(options);
  },
});

async function run(options: Options): Promise<string> {
  const interruption = new AbortController();
  const interrupt = () => {
    interruption.abort();
  };
  process.on('SIGTERM', interrupt).on('SIGINT', interrupt);
  try {
    const results = await soak(options, FAULTS, tell, interruption.signal);
    if (options.out !== undefined) {
      await writeFile(resolve(ROOT, options.out), `${JSON.stringify(results, null, 1)}\n`);
    }
    const text = report(results);
    if (options.minutes >= FULL_LENGTH) {
      const picture = { file: 'reliability.svg', title: TITLE };
      await writeFile(join(ROOT, 'docs', picture.file), plot(results));
      await writePage(join(ROOT, 'docs', 'reliability.md'), 'soak', picture, text);
    }
    if (failuresOf(results).length > 0) {
      process.exitCode = 1;
    }
    return text;
  } catch (error) {
    if (interruption.signal.aborted) throw new CommandFailure(1, 'interrupted', { cause: error });
    throw error;
  }
}

function tell(what: string): void {
  process.stderr.write(`${what}\n`);
}
