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
import { keptForFile } from './clean-up.ts';
import { randomInt } from 'node:crypto';
import { Client } from 'pg';
import { expect } from 'vitest';
import { startDatabaseProxy } from './database-proxy.ts';
import type { MeasuredGateway } from './measured-gateway.ts';
import { animalsIn } from './store-requests.ts';

const run = promisify(execFile);

const SETTINGS = {
  listen_addresses: '',
  // Other tests check crash safety.
  fsync: 'off',
  wal_retrieve_retry_interval: '50ms',
  shared_buffers: '32MB',
  // For replicas that later follow a different server.
  wal_keep_size: '128MB',
};

/** Starts a primary and its streaming replicas, with a migrated store in the database `postgres`. */
export async function startReplicatedPostgres({
  replicas: count = 2,
  settings = {},
}: {
  readonly replicas?: number;
  readonly settings?: Readonly<Record<string, string>>;
} = {}) {
  const stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory());
  const account = await accountFor(join(path, 'none'));
  const embedded = await preparePrograms(path, account);
  // oxlint-disable-next-line node/no-process-env -- for a run with another version of PostgreSQL
  const folder = process.env['POSTGRES_PROGRAMS'] ?? dirname(embedded.postgres);
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

/** Makes a stopped server a replica of another server on its next start. */
export async function follow(server: PostgresServer, { url }: PostgresServer): Promise<void> {
  const { searchParams, port } = new URL(url);
  const primary = `host=${searchParams.get('host')} port=${port} user=postgres`;
  await server.configure({
    primary_conninfo: `${primary} application_name=replica${new URL(server.url).port}`,
  });
  await writeFile(join(server.directory, 'standby.signal'), '');
}

/** Resolves when a replica receives what its primary writes. */
export async function isStreaming(replica: PostgresServer): Promise<void> {
  const receivers = "SELECT count(*)::int FROM pg_stat_wal_receiver WHERE status = 'streaming'";
  while ((await replica.ask(receivers)) !== 1) {
    await setTimeout(20);
  }
}

/** Starts a primary with one streaming replica, until the file's tests are over. */
export async function startPrimaryAndReplica(settings: Readonly<Record<string, string>> = {}) {
  const { primary, replicas } = keptForFile(
    await startReplicatedPostgres({ replicas: 1, settings }),
  );
  const [replica] = replicas;
  if (replica === undefined) throw new Error('there is one');
  return { primary, replica };
}

interface DisturbedReplica {
  readonly server: PostgresServer;
  /** The proxy between the gateways and the replica, whose connections can be cut. */
  readonly proxy: { readonly cutAll: () => void };
}

/** The maximum time in milliseconds for which replay is paused. */
const MAX_PAUSE_MS = 40;

/** The time in milliseconds between attempts to reach a killed replica. */
const RETRY_INTERVAL_MS = 50;

/** Pauses and resumes replay on replicas, and cuts their connections, at random, until it is disposed of. */
export function disturbReplicas(replicas: readonly DisturbedReplica[]): AsyncDisposable {
  const over = new AbortController();
  const ended = Promise.all(
    replicas.map(async ({ server, proxy }) => {
      while (!over.signal.aborted) {
        await disturb(server, proxy, over.signal).catch(() => setTimeout(RETRY_INTERVAL_MS));
      }
    }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await ended;
    },
  };
}

/** Pauses replay on replicas until `resumeReplay`, except on promoted ones. */
export async function pauseReplay(replicas: readonly DisturbedReplica[]): Promise<void> {
  const sql = 'SELECT pg_wal_replay_pause() WHERE pg_is_in_recovery()';
  await Promise.all(replicas.map(({ server }) => server.ask(sql)));
}

export async function resumeReplay(replicas: readonly DisturbedReplica[]): Promise<void> {
  const sql = 'SELECT pg_wal_replay_resume() WHERE pg_is_in_recovery()';
  await Promise.all(replicas.map(({ server }) => server.ask(sql)));
}

async function disturb(
  { url }: PostgresServer,
  proxy: DisturbedReplica['proxy'],
  over: AbortSignal,
): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    while (!over.aborted) {
      await client.query('SELECT pg_wal_replay_pause()');
      await setTimeout(randomInt(MAX_PAUSE_MS));
      if (randomInt(4) === 0) proxy.cutAll();
      await client.query('SELECT pg_wal_replay_resume()');
      await setTimeout(randomInt(MAX_PAUSE_MS));
    }
  } finally {
    await client.end();
  }
}

/** Returns which servers answered a gateway's reads: `replica none`, or `primary` and why no replica did. */
export async function answeredBy(
  { moved }: Pick<MeasuredGateway, 'moved'>,
  reads: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const series = await moved(/^animal_store_replica_reads_total/, reads);
  return Object.fromEntries(
    Object.entries(series).map(([name, value]) => [
      Array.from(name.matchAll(/=(\w+)/g), ([, label]) => label).join(' '),
      value,
    ]),
  );
}

/** Resolves when a read is answered this way. */
export async function readsAreAnsweredBy(gateway: MeasuredGateway, by: string): Promise<void> {
  await expect.poll(() => answeredBy(gateway, () => gateway.send('/v1/pets'))).toEqual({ [by]: 1 });
}

/** Returns the names of the animals that a gateway shows, at most 100. */
export async function namesShownBy({ request }: Pick<MeasuredGateway, 'request'>) {
  const answer = await request('/v1/pets?limit=100');
  expect(answer.status).toBe(200);
  return animalsIn(answer).map(({ name }) => name);
}

/** Adds an animal; expects it to be acknowledged. */
export async function addAnimal({ post }: Pick<MeasuredGateway, 'post'>, name: string) {
  expect((await post('/v1/pets', { name, categoryId: 1 })).status).toBe(201);
}

/** Starts a proxy to a replica, until the file's tests are over. */
export async function proxyTo(url: string) {
  return keptForFile(await startDatabaseProxy(url));
}

/** Returns SQL that adds an animal without a gateway. */
export function insertOf(name: string): string {
  return `INSERT INTO pets (name, category_id, status) VALUES ('${name}', 1, 'available')`;
}
