import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../processes/bundle.ts';
import { runPackageScript } from '../processes/command.ts';
import { type Postgres, startPostgres, type Store } from '../processes/postgres.ts';
import { startServer } from '../processes/server.ts';
import { requestsFor, type Subject } from '../processes/session.ts';

/** Enough for lists to use the index. */
const PETS = 10_000;

/** A version of the gateway with its own PostgreSQL, whose CPU time then belongs to its requests alone. */
export interface Version {
  readonly name: 'now' | 'before';
  readonly root: string;
  readonly postgres: Postgres;
  readonly store: Store;
  readonly env: NodeJS.ProcessEnv;
  readonly key: string;
}

/** Starts a version's PostgreSQL and fills it with the version's own commands. */
export async function prepareVersion(
  name: Version['name'],
  root: string,
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Version> {
  await bundle(root, signal);
  const data = join(folder, `data-${name}`);
  await mkdir(data);
  const postgres = stack.use(await startPostgres(data));
  const store = stack.use(await postgres.createStore(PETS, signal, { name, root }));
  const env = {
    DATABASE_URL: store.url,
    RATE_LIMIT: '900000000/1s',
    // Only the current version's folder may have a compile cache. Using it would make that version seem faster.
    NODE_DISABLE_COMPILE_CACHE: '1',
  };
  const key = await runPackageScript('keys', ['create', 'q'], env, signal, root);
  return { name, root, postgres, store, env, key };
}

/** A process of a version, and its PostgreSQL. */
export interface Running extends Subject {
  readonly postgres: Postgres;
}

/** Starts a process of a version on the core that all of them share, because no two cores are equally fast at all times. */
export async function startVersion(
  { name, root, postgres, store, env, key }: Version,
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Running> {
  const server = stack.use(
    await startServer({ name, file: join('src', 'main.ts'), root, env, folder, signal }),
  );
  await promisify(execFile)('taskset', ['-apc', await lastCore(), String(server.processId)], {
    signal,
  });
  return { server, postgres, store, key, constant: false, ...requestsFor(name, PETS, folder) };
}

/** The last of the cores that this process may use. */
async function lastCore(): Promise<string> {
  const status = await readFile('/proc/self/status', 'utf8');
  return /^Cpus_allowed_list:.*?(\d+)$/m.exec(status)?.[1] ?? '0';
}
