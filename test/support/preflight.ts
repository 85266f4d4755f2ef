import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { runScript } from './process.ts';

/** What `node -p 1` gives, where nothing is wrong. */
export const WELL = { code: 0, stdout: '1\n', stderr: '' };

/** Runs a script's command line with this Node, or with one first on PATH, where npm finds it. */
export async function runLine(
  script: string,
  root: string,
  env: NodeJS.ProcessEnv = {},
  args: readonly string[] = [],
) {
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;
  await using child = runScript(script, { root, args, env: { PATH, ...env } });
  const { code } = await child.exit;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** The environment in which Node takes itself for another version. */
export async function pretend(root: string, version: string): Promise<NodeJS.ProcessEnv> {
  const pretence = join(root, 'pretence.cjs');
  const versions = JSON.stringify({ node: version });
  await writeFile(pretence, `Object.defineProperty(process, 'versions', { value: ${versions} })`);
  return { NODE_OPTIONS: `--require ${pretence}` };
}
