import { expect } from 'vitest';
import { onFileFinished } from './clean-up.ts';
import { memberAt } from './json-members.ts';
import { temporaryTree } from './temporary-directory.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { runScript } from './process.ts';

/** Scripts of package.json that run programs for developers. */
export const TOOLS = ['test:all', 'bench', 'soak', 'fuzz', 'exchanges', 'isolation', 'screenshots'];

/** Runs scripts of package.json to their ends, in a copy, where one that forgets to look at its arguments does no harm. */
export async function scriptRunner({
  env = {},
  parts,
}: {
  readonly env?: NodeJS.ProcessEnv;
  /** Of the repository; by default, all that runs. */
  readonly parts?: readonly string[];
} = {}) {
  const scripts = await packageScripts();
  const tree = await temporaryTree(parts);
  onFileFinished(() => tree[Symbol.asyncDispose]());
  return (name: string, ...args: string[]) =>
    runLine(scripts.get(name) ?? '', tree.path, env, args);
}

/** What is called by another name in other projects. */
const USAGES: ReadonlyMap<string, RegExp> = new Map([
  ['db:migration', /^ {2}create-migration NAME/],
]);

/** Expects of a help that it says what the command does, its usage and its exit codes. */
export function expectHelp(name: string, help: string): void {
  const [summary, usage, ...rest] = help.split('\n\n');
  expect(summary).toMatch(/^[A-Z].+[.:]$/);
  expect(usage).toMatch(USAGES.get(name) ?? new RegExp(`^ {2}npm (?:run --silent )?${name}\\b`));
  expect(rest.at(-1)).toMatch(/^Exit codes: 0 \w+,(?: 1 failed,)? 2 usage error\.\n$/);
}

/** The scripts of package.json: each one's name and command line. */
export async function packageScripts(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const scripts = memberAt(JSON.parse(text), 'scripts');
  return new Map(Object.entries(scripts ?? {}).map(([name, script]) => [name, String(script)]));
}

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
