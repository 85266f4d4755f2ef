import { CommandFailure } from './command-failure.ts';
import type { Command, Options } from './command.ts';
import { run } from './run.ts';

/** Runs a command with the arguments, the environment and the streams of this process, and sets its exit code. */
export async function runCommand<const O extends Options>(
  command: Command<O>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as head may have seen enough.
    if (error.code !== 'EPIPE') {
      throw error;
    }
  });
  const { stdout, stderr } = process;
  // oxlint-disable-next-line node/no-process-env -- an entry point passes the environment on
  const { env } = process;
  const code = await run(command, args, { env, stdout, stderr, catchSignals });
  // The command may have set another.
  if (code !== 0) process.exitCode = code;
}

/** Runs a command if its module is the program of this process; tests import it instead. */
export async function runIfMain<const O extends Options>(
  // Undefined before Node 24.2.
  { main }: { readonly main?: boolean },
  command: Command<O>,
): Promise<void> {
  if (main !== false) {
    await runCommand(command);
  }
}

/** @throws CommandFailure (2) if there are surplus arguments */
export function expectNone(surplus: readonly string[]): void {
  if (surplus.length > 0) {
    throw new CommandFailure(2, `unexpected "${surplus.join(' ')}"; see --help`);
  }
}

function catchSignals(): AbortSignal {
  const interruption = new AbortController();
  const interrupt = () => {
    interruption.abort();
  };
  // Each may come twice: the terminal sends Ctrl-C to npm and to us, and npm passes it on.
  process.on('SIGTERM', interrupt).on('SIGINT', interrupt);
  return interruption.signal;
}
