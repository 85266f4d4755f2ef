import { Client } from 'pg';
import { applicationName } from '@gateway/postgres/application-name';
import { type Cluster, clusterUser } from './cluster.ts';
import { systemErrorCode } from './system-error-code.ts';
import { socketPort } from './socket-directory.ts';
import { StartupFailure } from '@gateway/errors/startup-failure';

/** The database of the cluster that is used: the one every cluster is born with. */
const database = 'postgres';

/**
 * Whoever is joined holds this advisory lock shared, on a connection of its own; whoever stops the
 * server holds it alone. The server releases it when a process dies, however it dies.
 */
const membershipLock = 0x616e696d;

/** Milliseconds for a live server to answer. */
const patience = 5_000;

export type Attempt =
  | { readonly client: Client }
  /** `down`: nobody listens; otherwise it is worth waiting. */
  | { readonly client?: undefined; readonly down: boolean; readonly reason: string };

/** The cluster's address for node-postgres. Everything is in it, so that no PG* variable matters. */
export function urlOf({ socketDirectory, password }: Cluster): string {
  const host = encodeURIComponent(socketDirectory);
  return `postgresql://${clusterUser}:${password}@localhost:${socketPort}/${database}?host=${host}&sslmode=disable`;
}

/**
 * Tries once to connect to the cluster's server and to become a member.
 * @throws StartupFailure when it is not a server of this cluster
 */
export async function attach({ home, socketDirectory, password }: Cluster): Promise<Attempt> {
  const client = new Client({
    host: socketDirectory,
    port: socketPort,
    user: clusterUser,
    password,
    database,
    ssl: false,
    application_name: applicationName('membership'),
    connectionTimeoutMillis: patience,
    query_timeout: patience,
  });
  // The end of the connection, which follows, is what its user listens for.
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
      throw new StartupFailure(`DATA_DIR: PostgreSQL refuses the password in ${home}/password`, {
        cause: error,
      });
    }
    const reason = error instanceof Error ? error.message : String(error);
    return { down: code === 'ENOENT' || code === 'ECONNREFUSED', reason };
  }
}

/** Gives up membership; true when there is no other member, and then none can come any more. */
export async function detach(client: Client): Promise<boolean> {
  await lock(client, 'pg_advisory_unlock_shared');
  return lock(client, 'pg_try_advisory_lock');
}

async function lock(client: Client, call: string): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>(`SELECT ${call}($1) AS done`, [
    membershipLock,
  ]);
  return rows[0]?.done === true;
}
