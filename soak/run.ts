import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ROOT } from '../bench/root.ts';
import {
  type Output,
  CommandFailure,
  rejectPositionals,
  runCommand,
} from '@store-gateway/ops/command-line';
import { FAULTS } from './faults.ts';
import { FULL_LENGTH, HELP, type Options, OPTIONS, readOptions } from './options.ts';
import { PAGE, PICTURE, soakPage } from './page.ts';
import { plot } from './plot.ts';
import { report } from './report.ts';
import { soak } from './soak.ts';
import { failuresOf } from './verdict.ts';

await runCommand({
  name: 'soak',
  help: HELP,
  options: OPTIONS,
  read: (given) => {
    rejectPositionals(given.positionals);
    const options = readOptions(given);
    return ({ catchSignals, stderr }) => run(options, stderr, catchSignals());
  },
});

async function run(options: Options, stderr: Output, interrupted: AbortSignal): Promise<string> {
  const tell = (what: string) => stderr.write(`${what}\n`);
  try {
    const results = await soak(options, FAULTS, tell, interrupted);
    if (options.out !== undefined) {
      await writeFile(resolve(ROOT, options.out), `${JSON.stringify(results, null, 1)}\n`);
    }
    const text = report(results);
    if (options.minutes >= FULL_LENGTH) {
      await writeFile(join(ROOT, PICTURE), plot(results));
      await writeFile(join(ROOT, PAGE), soakPage(results));
    }
    if (failuresOf(results).length > 0) {
      process.exitCode = 1;
    }
    return text;
  } catch (error) {
    if (interrupted.aborted) throw new CommandFailure(1, 'interrupted', { cause: error });
    throw error;
  }
}
