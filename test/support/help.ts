import { expect } from 'vitest';
import { keptForFile } from './clean-up.ts';
import { memberAt } from './json-members.ts';
import { temporaryTree } from './temporary-directory.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { runScript } from './process.ts';

/** The scripts in package.json that run developer programs. */
export const TOOLS = ['test:all', 'bench', 'soak', 'fuzz', 'exchanges', 'isolation', 'screenshots'];

/**
 * Returns a function that runs scripts from package.json until they exit. They run in a copy, where a script that
 * ignores its arguments does no harm.
 */
export async function scriptRunner({
  env = {},
  parts,
}: {
  readonly env?: NodeJS.ProcessEnv;
  /** The repository's parts to copy; by default, everything that runs. */
  readonly parts?: readonly string[];
} = {}) {
  const scripts = await packageScripts();
  const tree = keptForFile(await temporaryTree(parts));
  return (name: string, ...args: string[]) =>
    runLine(scripts.get(name) ?? '', tree.path, env, args);
}

/** Commands whose usage has a different name, because they also run in other projects. */
const USAGES: ReadonlyMap<string, RegExp> = new Map([
  ['db:migration', /^ {2}create-migration NAME/],
]);

/** Expects a help text to say what the command does, its usage and its exit codes. */
export function expectHelp(name: string, help: string): void {
  const [summary, usage, ...rest] = help.split('\n\n');
  expect(summary).toMatch(/^[A-Z].+[.:]$/);
  expect(usage).toMatch(USAGES.get(name) ?? new RegExp(`^ {2}npm (?:run --silent )?${name}\\b`));
  expect(rest.at(-1)).toMatch(/^Exit codes: 0 \w+,(?: 1 failed,)? 2 usage error\.\n$/);
}

/** Returns the command lines of the scripts in package.json, by name. */
export async function packageScripts(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const scripts = memberAt(JSON.parse(text), 'scripts');
  return new Map(Object.entries(scripts ?? {}).map(([name, script]) => [name, String(script)]));
}

/** The outcome of `node -p 1` if nothing is wrong. */
export const WELL = { code: 0, stdout: '1\n', stderr: '' };

/** Runs a script's command line with this Node.js, or with another that the environment puts first on PATH. */
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

/** Returns the environment in which Node.js reports a different version. */
export async function pretend(root: string, version: string): Promise<NodeJS.ProcessEnv> {
  const pretence = join(root, 'pretence.cjs');
  const versions = JSON.stringify({ node: version });
  await writeFile(pretence, `Object.defineProperty(process, 'versions', { value: ${versions} })`);
  return { NODE_OPTIONS: `--require ${pretence}` };
}
