import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../root.ts';

/** What every process gets of this one's environment: a developer's own settings stay out. */
export function inherited(): NodeJS.ProcessEnv {
  // oxlint-disable-next-line node/no-process-env -- it is handed on
  const environment = process.env;
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG'];
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

/** Runs a command of the gateway, this one or a copy's, to its end, and gives what it prints. */
export async function runCommandFile(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  root = ROOT,
): Promise<string> {
  const options = { cwd: root, env: { ...inherited(), ...env }, signal };
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], options);
  return stdout.trim();
}
