import type { parseArgs } from 'node:util';
import { rejectPositionals, runCommand, wholeNumber } from '@store-gateway/ops/command-line';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { interruptible } from './interruptible.ts';
import type { Measuring } from './measure-rounds.ts';
import { createProgress } from '../scripts/progress.ts';

const OPTIONS = {
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '2' },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

const HELP = `
  --rounds N   how often each is measured, by default 3
  --seconds N  duration of each measurement, by default 2

Exit codes: 0 done, 1 failed, 2 usage error.
`;

export interface RoundsCommand {
  readonly name: string;
  /** The help: what it measures, and an example. The options are the same for all commands. */
  readonly help: string;
  /**
   * Measures, and returns the table to print.
   *
   * @param folder for all files
   * @param stack ends everything that is started
   */
  readonly measure: (
    measuring: Measuring,
    folder: string,
    stack: AsyncDisposableStack,
  ) => Promise<string>;
}

/** Runs a command that measures in rounds. */
export async function runRoundsCommand({ name, help, measure }: RoundsCommand): Promise<void> {
  await runCommand({
    name,
    help: help + HELP,
    options: OPTIONS,
    read: ({ positionals, values }) => {
      rejectPositionals(positionals);
      const rounds = wholeNumber('--rounds', values.rounds, { most: 9999 });
      const seconds = wholeNumber('--seconds', values.seconds, { most: 9999 });
      return ({ catchSignals }) =>
        interruptible(catchSignals(), async (signal) => {
          await using stack = new AsyncDisposableStack();
          const { path } = stack.use(await temporaryDirectory());
          return await measure(
            { rounds, seconds, progress: createProgress('cells'), signal },
            path,
            stack,
          );
        });
    },
  });
}
