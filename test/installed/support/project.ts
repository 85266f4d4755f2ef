import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onFileFinished } from '../../support/clean-up.ts';
import { type ChildEntry, runProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { environmentOf, type NodeWithNpm, runWith } from './nodes.ts';

/** A project outside this repository, until the tests of the file have finished. */
export interface Project {
  readonly folder: string;
  /** Runs a command in its folder to its end. */
  readonly run: (command: string, ...args: readonly string[]) => Promise<string>;
  /** Starts it as its README says. */
  readonly start: (env?: NodeJS.ProcessEnv) => Promise<Served>;
}

/** A service that runs: disposing of it ends it by SIGTERM. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildEntry;
}

/** @param name of its folder, which `make` makes in an empty one */
export async function projectOf(
  node: NodeWithNpm,
  name: string,
  make: (parent: string) => Promise<unknown>,
): Promise<Project> {
  const parent = await temporaryDirectory();
  onFileFinished(() => parent[Symbol.asyncDispose]());
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

/** Makes the project `my-store` as a stranger does: by the first command of the README. */
export async function createdProject(node: NodeWithNpm): Promise<Project> {
  const [command = ''] = /^npm create .*$/m.exec(await readFile(README, 'utf8')) ?? [];
  const [npm = '', ...args] = command.split(' ');
  return projectOf(node, 'my-store', (parent) =>
    // What npm has kept of a run before may be another package of the same version.
    runWith(node, parent, npm, args, {
      npm_config_cache: join(parent, 'npm-cache'),
    }),
  );
}

/** A caller of a store by HTTP: what it is answered, with the status. */
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

/** A page as a browser asks for it. */
export async function pageAt(url: string): Promise<string> {
  const response = await fetch(url, { headers: { Accept: 'text/html' } });
  return `${response.status} ${await response.text()}`;
}
