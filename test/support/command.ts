import { type Command, type Options, run } from '@store-gateway/ops/command-line';

export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  /** Whether its stderr is a terminal. */
  readonly isTTY?: boolean;
  /** Aborting this has the effect of SIGINT or SIGTERM. */
  readonly interrupted?: AbortSignal;
}

/** Runs a command in this process as it would run in its own. */
export async function runInProcess<O extends Options>(
  command: Command<O>,
  args: readonly string[],
  { env = {}, isTTY = false, interrupted = new AbortController().signal }: Surroundings = {},
) {
  let [stdout, stderr] = ['', ''];
  const code = await run(command, args, {
    env,
    stdout: { write: (text) => (stdout += text) },
    stderr: { isTTY, write: (text) => (stderr += text) },
    catchSignals: () => interrupted,
  });
  return { code, stdout, stderr };
}
