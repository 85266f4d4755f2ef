import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../root.ts';

/** The part of this process's environment that every process inherits, without a developer's own settings. */
export function inherited(): NodeJS.ProcessEnv {
  // oxlint-disable-next-line node/no-process-env -- it is passed on
  const environment = process.env;
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG'];
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

/** Runs a package.json script, of this version or a different one, until it ends, and returns its output. */
export async function runPackageScript(
  name: 'keys' | 'seed',
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  root = ROOT,
): Promise<string> {
  const options = { cwd: root, env: { ...inherited(), ...env }, signal };
  const manifest = await readFile(join(root, 'package.json'), 'utf8');
  const [, script = ''] = new RegExp(`"${name}": "(?:exec )?node ([^"]*)"`).exec(manifest) ?? [];
  const program = [...script.split(' '), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, program, options);
  return stdout.trim();
}
