import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Runs a program to its end with this machine's own environment, of which building needs what it says of the network.
 *
 * @returns what it prints
 */
export async function outputOf(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const options = {
    cwd: ROOT,
    // oxlint-disable-next-line node/no-process-env -- it is handed on
    env: { ...process.env, ...env },
    maxBuffer: Infinity,
  };
  const { stdout } = await promisify(execFile)(program, args, options);
  return stdout.trim();
}
