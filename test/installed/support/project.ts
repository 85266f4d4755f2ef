import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keptForFile } from '../../support/clean-up.ts';
import { type ChildEntry, runProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { environmentOf, type NodeWithNpm, runWith } from './nodes.ts';

/** A project outside this repository, which exists until the tests in the file have finished. */
export interface Project {
  readonly folder: string;
  /** Runs a command in its folder until the command exits. */
  readonly run: (command: string, ...args: readonly string[]) => Promise<string>;
  /** Starts the project as its README says. */
  readonly start: (env?: NodeJS.ProcessEnv) => Promise<Served>;
}

/** A running service. Disposing of it sends SIGTERM. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildEntry;
}

/** @param name of the project's folder, which `make` creates in an empty parent folder */
export async function projectOf(
  node: NodeWithNpm,
  name: string,
  make: (parent: string) => Promise<unknown>,
): Promise<Project> {
  const parent = keptForFile(await temporaryDirectory());
  await make(parent.path);
  const folder = join(parent.path, name);
  return {
    folder,
    run: (command, ...args) => runWith(node, folder, command, args),
    start: async (env) => {
      const child = runProgram('npm', ['start'], {
        root: folder,
        env: { ...environmentOf(node), PORT: '0', ...env },
      });
      const line = await child.line('stdout', (each) => each.includes('"listening"'));
      const [, url = ''] = /"url":"([^"]+)"/.exec(line) ?? [];
      return { url, child, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
    },
  };
}

const README = join(import.meta.dirname, '../../../packages/create/README.md');

/** Creates the project `my-store` as a new user would, with the first command in the README. */
export async function createdProject(node: NodeWithNpm): Promise<Project> {
  const [command = ''] = /^npm create .*$/m.exec(await readFile(README, 'utf8')) ?? [];
  const [npm = '', ...args] = command.split(' ');
  return projectOf(node, 'my-store', (parent) =>
    // npm's cache may have a different package with the same version from an earlier run.
    runWith(node, parent, npm, args, {
      npm_config_cache: join(parent, 'npm-cache'),
    }),
  );
}

/** Returns a function that calls a store over HTTP, and resolves to the status and body of the response. */
export function callerOf(url: string, key: string) {
  return async (path: string, body?: object, method = body === undefined ? 'GET' : 'POST') => {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    return [response.status, answer] as const;
  };
}

/** Requests a page as a browser would. */
export async function pageAt(url: string): Promise<string> {
  const response = await fetch(url, { headers: { Accept: 'text/html' } });
  return `${response.status} ${await response.text()}`;
}
