import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountFor } from '../../../packages/local/src/embedded/account.ts';
import { postgresServer, type PostgresServer } from '../../support/postgres-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { freePort, HOST } from '../../system/support/haproxy.ts';
import { PROGRAMS, requireCitus } from './programs.ts';

/** A Citus cluster with a coordinator and two workers. */
export interface CitusCluster extends AsyncDisposable {
  readonly coordinator: PostgresServer;
  readonly workers: readonly [PostgresServer, PostgresServer];
  /** The URL of an empty database on the coordinator. */
  readonly url: string;
}

const run = promisify(execFile);

const SETTINGS = {
  listen_addresses: HOST,
  shared_buffers: '32MB',
  max_connections: '300',
  jit: 'off',
};

const CITUS_SETTINGS = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '300',
  // Citus uses one worker process for each database.
  max_worker_processes: '60',
  // Makes workers read rows from an index in its order, like deploy/citus.
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.shard_count': '4',
  'citus.recover_2pc_interval': '1s',
  'citus.enable_statistics_collection': 'off',
};

const DATABASE = 'store';

type Settings = Readonly<Record<string, string>>;

/**
 * Starts a cluster whose databases all have Citus.
 *
 * @param settings additional settings of all nodes
 * @param prepare prepares the coordinator's template database, of which each new database is a copy
 * @throws Error that says what to install
 */
export async function startCitus(
  settings: Settings = {},
  prepare?: (templateUrl: string) => Promise<unknown>,
): Promise<CitusCluster> {
  await using started = new AsyncDisposableStack();
  const startServer = await serverStarter(started);
  const startNode = async (name: string): Promise<PostgresServer> => {
    const node = await startServer(name, { ...CITUS_SETTINGS, ...settings });
    await node.ask('CREATE EXTENSION citus', 'template1');
    return node;
  };
  const [coordinator, ...workers] = await Promise.all([
    startNode('coordinator'),
    startNode('worker1'),
    startNode('worker2'),
  ]);
  await joinNodes({ coordinator, workers }, 'template1');
  await prepare?.(inDatabase(coordinator, 'template1'));
  for (const node of [coordinator, ...workers]) {
    await closeTemplate(node, 'template1');
    await node.ask(`CREATE DATABASE ${DATABASE}`);
  }
  const url = inDatabase(coordinator, DATABASE);
  const running = started.move();
  return { coordinator, workers, url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Starts a PostgreSQL server with the same version and settings, but without Citus. */
export async function startWithoutCitus(
  settings: Settings,
): Promise<PostgresServer & AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const startServer = await serverStarter(started);
  const server = await startServer('alone', settings);
  const running = started.move();
  return { ...server, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Returns a function that starts servers in a temporary folder. The stack stops them. */
async function serverStarter(started: AsyncDisposableStack) {
  await requireCitus();
  const { path } = started.use(await temporaryDirectory());
  const account = await accountFor(join(path, 'none'));
  const socketDirectory = join(path, 'sockets');
  await mkdir(socketDirectory);
  if (account !== undefined) {
    await chown(path, account.uid, account.gid);
    await chown(socketDirectory, account.uid, account.gid);
  }
  return async (name: string, settings: Settings): Promise<PostgresServer> => {
    const directory = join(path, name);
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await run(join(PROGRAMS, 'initdb'), ['-D', directory, ...options], { ...account, cwd: '/' });
    const postgres = join(PROGRAMS, 'postgres');
    const port = await freePort();
    const server = postgresServer({ postgres, directory, socketDirectory, port, account });
    started.defer(() => server.stop('SIGQUIT'));
    await server.configure({ ...SETTINGS, ...settings });
    await server.start();
    return server;
  };
}

/** Joins nodes to a cluster in a database that has Citus on all of them. */
export async function joinNodes(
  { coordinator, workers }: Pick<CitusCluster, 'coordinator' | 'workers'>,
  database: string,
): Promise<void> {
  await coordinator.ask(`SELECT citus_set_coordinator_host(${addressOf(coordinator)})`, database);
  for (const worker of workers) {
    await coordinator.ask(`SELECT citus_add_node(${addressOf(worker)})`, database);
  }
}

/** Returns a node's address as two SQL arguments. */
export function addressOf({ url }: PostgresServer): string {
  return `'${HOST}', ${new URL(url).port}`;
}

export function inDatabase({ url }: PostgresServer, pathname: string): string {
  return Object.assign(new URL(url), { pathname }).href;
}

/** Closes a database to connections, including Citus' background process, because PostgreSQL cannot copy it otherwise. */
export async function closeTemplate({ ask }: PostgresServer, name: string): Promise<void> {
  await ask(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await ask(
    `SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
}
