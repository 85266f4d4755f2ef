import { expect } from 'vitest';
import { onFileFinished } from './clean-up.ts';
import { packageScripts } from './package-scripts.ts';
import { runLine } from './preflight.ts';
import { temporaryTree } from './temporary-directory.ts';

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
