import { Client } from 'pg';
import { StartupFailure } from '@store-gateway/ops';
import type { Cluster } from './cluster.ts';
import { socketPort } from './socket-directory.ts';
import { systemErrorCode } from './system-error-code.ts';

/** The one every cluster is born with. */
const DATABASE = 'postgres';

/**
 * An advisory lock: each member holds it shared, on a connection of its own, and who stops the server holds it alone.
 * The server releases it when a process dies, however it dies.
 */
const MEMBERSHIP_LOCK = 0x616e696d;

const TIMEOUT_MS = 5_000;

/** A connection to the server, or why there is none. */
type Attempt =
  | { readonly client: Client }
  /** `down`: nobody listens; otherwise it is worth waiting. */
  | { readonly client?: undefined; readonly down: boolean; readonly reason: string };

/** The cluster's address for node-postgres. Everything is in it, so that no PG* variable matters. */
export function urlOf({ socketDirectory, user, password }: Cluster): string {
  const host = encodeURIComponent(socketDirectory);
  return `postgresql://${user}:${password}@localhost:${socketPort}/${DATABASE}?host=${host}&sslmode=disable`;
}

/**
 * Tries once to connect to the cluster's server and to become a member.
 *
 * @throws StartupFailure when it is not a server of this cluster
 */
export async function attach(cluster: Cluster): Promise<Attempt> {
  const client = new Client({
    connectionString: urlOf(cluster),
    application_name: `${cluster.application} membership`,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
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
      throw new StartupFailure(
        `DATA_DIR: PostgreSQL refuses the password in ${cluster.home}/password`,
        { cause: error },
      );
    }
    const reason = error instanceof Error ? error.message : String(error);
    return { down: code === 'ENOENT' || code === 'ECONNREFUSED', reason };
  }
}

/** Gives up membership; true if there is no other member, and then nobody can become one any more. */
export async function detach(client: Client): Promise<boolean> {
  await lock(client, 'pg_advisory_unlock_shared');
  return lock(client, 'pg_try_advisory_lock');
}

async function lock(client: Client, call: string): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>(`SELECT ${call}($1) AS done`, [
    MEMBERSHIP_LOCK,
  ]);
  return rows[0]?.done === true;
}
