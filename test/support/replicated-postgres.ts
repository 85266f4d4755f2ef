import { MIGRATIONS } from './store-database.ts';
import { execFile } from 'node:child_process';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { accountFor } from '../../packages/local/src/embedded/account.ts';
import { preparePrograms } from '../../packages/local/src/embedded/programs.ts';
import { applyMigrations } from '@store-gateway/local/migrations';
import { postgresServer, type PostgresServer } from './postgres-server.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A primary and its streaming replicas, with a migrated store in the database `postgres`. */
export interface ReplicatedPostgres extends AsyncDisposable {
  readonly primary: PostgresServer;
  readonly replicas: readonly PostgresServer[];
}

const run = promisify(execFile);

const SETTINGS = {
  listen_addresses: '',
  // What is promised of crashes is tested elsewhere.
  fsync: 'off',
  wal_retrieve_retry_interval: '50ms',
  shared_buffers: '32MB',
  // For those that follow another server than before.
  wal_keep_size: '128MB',
};

/** @param programs the folder of PostgreSQL's programs; by default it is the embedded one */
export async function startReplicatedPostgres({
  replicas: count = 2,
  settings = {},
  // oxlint-disable-next-line node/no-process-env -- for a run with another version of PostgreSQL
  programs = process.env['POSTGRES_PROGRAMS'],
}: {
  readonly replicas?: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly programs?: string | undefined;
} = {}): Promise<ReplicatedPostgres> {
  const stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory());
  const account = await accountFor(join(path, 'none'));
  const embedded = await preparePrograms(path, account);
  const folder = programs ?? dirname(embedded.postgres);
  const socketDirectory = join(path, 'sockets');
  await mkdir(socketDirectory);
  if (account !== undefined) {
    await chown(path, account.uid, account.gid);
    await chown(socketDirectory, account.uid, account.gid);
  }
  const asAccount = { ...account, cwd: '/', env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } };
  const serverIn = (name: string, port: number): PostgresServer => {
    const directory = join(path, name);
    const postgres = join(folder, 'postgres');
    const server = postgresServer({ postgres, directory, socketDirectory, port, account });
    stack.defer(() => server.stop('SIGQUIT'));
    return server;
  };

  try {
    const primary = serverIn('primary', 5501);
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await run(join(folder, 'initdb'), ['-D', primary.directory, ...options], asAccount);
    await primary.configure({ ...SETTINGS, ...settings });
    await primary.start();
    await applyMigrations(primary.url, MIGRATIONS);
    await primary.stop();
    const replicas: PostgresServer[] = [];
    for (let number = 1; number <= count; number += 1) {
      const replica = serverIn(`replica${number}`, 5501 + number);
      await run('cp', ['-a', primary.directory, replica.directory], asAccount);
      await follow(replica, primary);
      replicas.push(replica);
    }
    await primary.start();
    await Promise.all(replicas.map((replica) => replica.start()));
    await Promise.all(replicas.map(isStreaming));
    return { primary, replicas, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Has a server that is down be a replica of another when it starts. */
export async function follow(server: PostgresServer, { url }: PostgresServer): Promise<void> {
  const { searchParams, port } = new URL(url);
  const primary = `host=${searchParams.get('host')} port=${port} user=postgres`;
  await server.configure({
    primary_conninfo: `${primary} application_name=replica${new URL(server.url).port}`,
  });
  await writeFile(join(server.directory, 'standby.signal'), '');
}

/** Resolves once a replica receives what its primary writes. */
export async function isStreaming(replica: PostgresServer): Promise<void> {
  const receivers = "SELECT count(*)::int FROM pg_stat_wal_receiver WHERE status = 'streaming'";
  while ((await replica.ask(receivers)) !== 1) {
    await setTimeout(20);
  }
}
