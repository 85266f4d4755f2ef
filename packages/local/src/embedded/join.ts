import { StartupFailure } from '@store-gateway/ops';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { systemErrorCode } from './account.ts';
import { inDataDirectory } from './folders.ts';
import {
  type Cluster,
  type ClusterNames,
  expectCluster,
  hasCluster,
  isServed,
  openCluster,
  socketPort,
  type StartedServer,
  startServer,
  stopServer,
} from './server.ts';

/** Milliseconds between attempts to restart a lost server. */
const RETRY_INTERVAL_MS = 500;

/** How long a connection may take to close gracefully. */
const CLOSE_TIMEOUT_MS = 1_000;

/** A running embedded PostgreSQL that this process is a member of. */
interface EmbeddedPostgres {
  /** The URL for node-postgres, over the Unix socket, including the password. It never changes. */
  readonly url: string;
  /** Ends the membership. The last member stops the server and waits until it is down. Never rejects. */
  readonly leave: () => Promise<void>;
}

/**
 * Joins a data folder's embedded PostgreSQL: attaches to the running server or starts it, after creating the cluster if there is
 * none. A lost server is restarted in the background, at the same address.
 *
 * @param dataDirectory the folder's absolute path
 * @param onLaunched called whenever a server has been launched and is not ready yet
 * @throws StartupFailure if it can't be created, started or reached
 */
export function joinEmbeddedPostgres(
  dataDirectory: string,
  names: ClusterNames,
  onLaunched?: () => void,
): Promise<EmbeddedPostgres> {
  return inDataDirectory(dataDirectory, async () => {
    const cluster = await openCluster(dataDirectory, names);
    return { url: urlOf(cluster), leave: await becomeMember(cluster, onLaunched) };
  });
}

/** Whether a data folder has an embedded PostgreSQL. @throws StartupFailure if the folder can't be read */
export function hasEmbeddedPostgres(dataDirectory: string): Promise<boolean> {
  return inDataDirectory(dataDirectory, () => hasCluster(dataDirectory));
}

/** @throws StartupFailure if a data folder has no embedded PostgreSQL yet, or can't be read */
export function expectEmbeddedPostgres(dataDirectory: string): Promise<void> {
  return inDataDirectory(dataDirectory, () => expectCluster(dataDirectory));
}

/**
 * Becomes a member of a cluster's server. Until it leaves, a lost server is restarted in the background.
 *
 * @param onLaunched called whenever a server has been launched and is not ready yet
 * @returns a function that leaves
 * @throws StartupFailure when the server cannot be started or reached the first time
 */
export async function becomeMember(
  cluster: Cluster,
  onLaunched?: () => void,
): Promise<EmbeddedPostgres['leave']> {
  const leaving = new AbortController();
  const { signal } = leaving;
  let client: Client | undefined;
  let rejoined = Promise.resolve();
  let left: Promise<void> | undefined;

  const join = async () => {
    client = await attachOrStart(cluster, signal, onLaunched);
    client.once('end', () => {
      client = undefined;
      rejoined = rejoin();
    });
  };
  const rejoin = async () => {
    while (!signal.aborted) {
      try {
        return await join();
      } catch {
        await pause(RETRY_INTERVAL_MS, signal);
      }
    }
  };
  const leave = async () => {
    leaving.abort();
    await rejoined;
    if (client !== undefined) await endMembership(cluster, client);
  };

  await join();
  return () => (left ??= leave());
}

async function endMembership(cluster: Cluster, client: Client): Promise<void> {
  try {
    if (await detach(client)) await stopServer(cluster);
  } catch {
    // The server is gone or doesn't respond, so there is nothing left to wait for.
  }
  await Promise.race([
    client.end().catch(() => undefined),
    setTimeout(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
  ]);
}

/** The database that every new cluster has. */
const DATABASE = 'postgres';

/**
 * The key of an advisory lock. Each member holds it shared, on its own connection. The member that stops the server holds it
 * exclusively. The server releases it when a process dies, however it dies.
 */
const MEMBERSHIP_LOCK = 0x616e696d;

const ATTACH_TIMEOUT_MS = 5_000;

/** A connection to the server, or the reason why there is none. */
type Attempt =
  | { readonly client: Client }
  /** `down` means that no server is listening. In any other case, waiting may help. */
  | { readonly client?: undefined; readonly down: boolean; readonly reason: string };

/** Returns the cluster's URL for node-postgres. It is complete, so that PG* variables have no effect. */
export function urlOf({ socketDirectory, user, password }: Cluster): string {
  const host = encodeURIComponent(socketDirectory);
  return `postgresql://${user}:${password}@localhost:${socketPort}/${DATABASE}?host=${host}&sslmode=disable`;
}

/**
 * Tries once to connect to the cluster's server and to become a member.
 *
 * @throws StartupFailure if the server doesn't belong to this cluster
 */
async function attach(cluster: Cluster): Promise<Attempt> {
  const client = new Client({
    connectionString: urlOf(cluster),
    application_name: `${cluster.application} membership`,
    connectionTimeoutMillis: ATTACH_TIMEOUT_MS,
    query_timeout: ATTACH_TIMEOUT_MS,
  });
  // Callers listen for the end of the connection, which follows the error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (await lock(client, 'pg_try_advisory_lock_shared')) return { client };
    void client.end();
    return { down: false, reason: 'another process is stopping it' };
  } catch (error) {
    void client.end();
    const code = systemErrorCode(error);
    if (code === '28P01') {
      throw new StartupFailure(
        `DATA_DIR: PostgreSQL rejected the password in ${cluster.home}/password`,
        { cause: error },
      );
    }
    const reason = error instanceof Error ? error.message : String(error);
    return { down: code === 'ENOENT' || code === 'ECONNREFUSED', reason };
  }
}

/** Ends this membership. Returns true if there is no other member, in which case no process can become a member any more. */
async function detach(client: Client): Promise<boolean> {
  await lock(client, 'pg_advisory_unlock_shared');
  return lock(client, 'pg_try_advisory_lock');
}

async function lock(client: Client, call: string): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>(`SELECT ${call}($1) AS done`, [
    MEMBERSHIP_LOCK,
  ]);
  return rows[0]?.done === true;
}

/** How long a server may take to be ready, including crash recovery. */
const START_TIMEOUT_MS = 30_000;
const MAX_STARTS = 3;

/**
 * Becomes a member of the cluster's server, which is started if it is down.
 *
 * @param signal aborts the attempt, and stops the server that is being started
 * @param onLaunched called when a server has been launched and is not ready yet
 * @returns the connection that holds the membership
 * @throws StartupFailure if the server can't be started or isn't ready within 30 s
 */
export async function attachOrStart(
  cluster: Cluster,
  signal: AbortSignal,
  onLaunched?: () => void,
): Promise<Client> {
  const { directory } = cluster;
  const deadline = performance.now() + START_TIMEOUT_MS;
  let server: StartedServer | undefined;
  let failedStarts = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const attempt = await attach(cluster);
      if (attempt.client !== undefined) {
        server?.release();
        server = undefined;
        return attempt.client;
      }
      if (performance.now() > deadline) {
        throw new StartupFailure(
          `PostgreSQL in ${directory} (DATA_DIR) was not ready after ${START_TIMEOUT_MS / 1000} s: ${attempt.reason}`,
        );
      }
      if (server?.hasEnded() === true) {
        // Another process has often started the server first, or the previous server hasn't fully stopped.
        if (attempt.down) failedStarts += 1;
        if (failedStarts === MAX_STARTS) {
          throw new StartupFailure(
            `PostgreSQL could not start in ${directory} (DATA_DIR): ${await server.whyItEnded()}`,
          );
        }
        server = undefined;
        await pause(100 * failedStarts, signal);
      } else if (attempt.down && server === undefined && (await isServed(cluster)) !== true) {
        server = await startServer(cluster);
        onLaunched?.();
      }
      await pause(server === undefined ? 30 : 5, signal);
    }
  } finally {
    server?.abandon();
  }
}

/** Waits. Resolves early when the signal is aborted, and never rejects. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}
