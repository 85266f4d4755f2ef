import { EMBEDDED } from '../test/support/store-database.ts';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { runPackageScript } from '../bench/processes/command.ts';
import { openCluster, stopServer } from '../packages/local/src/embedded/server.ts';
import { embeddedPostgres, type EmbeddedPostgres } from '../test/support/embedded-postgres.ts';
import type { StoredAnimal } from '../test/support/ledger.ts';

/**
 * The database under test, which is observed and broken from outside the service. Disposing of it stops an embedded PostgreSQL
 * that a killed service has left running.
 */
export interface Store extends AsyncDisposable {
  /** The environment of the service. */
  readonly env: NodeJS.ProcessEnv;
  /** The API keys of the clients. */
  readonly keys: readonly string[];
  /** Returns the version of PostgreSQL. */
  readonly version: () => Promise<string>;
  /** Number of animals before the run, which have the ids from 1 to this number. */
  readonly pets: number;
  /** Counts how many of those are still there. */
  readonly petsLeft: () => Promise<number>;
  /** Returns all other animals. */
  readonly added: () => Promise<StoredAnimal[]>;
  /** Resolves when the database responds. */
  readonly answers: (signal: AbortSignal) => Promise<void>;
  readonly cutAllConnections: () => Promise<void>;
  /** Locks the table for a number of milliseconds. */
  readonly lock: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The embedded PostgreSQL; undefined for a database whose processes must not be broken. */
  readonly postgres: EmbeddedPostgres | undefined;
}

const PETS = 100_000;

/**
 * Several clients, because a single client may only have half of the open requests, and a frozen database keeps more than that
 * waiting.
 */
const CLIENTS = 4;

/** Timeout in milliseconds for connecting, and for a statement. */
const DATABASE_TIMEOUT = 10_000;

/** Milliseconds between two checks whether the database responds. */
const POLL_INTERVAL = 10;

/** Fills the database at the URL, or an embedded one in the folder. */
export async function prepareStore(
  folder: string,
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<Store> {
  const env =
    databaseUrl === undefined ? { DATA_DIR: join(folder, 'data') } : { DATABASE_URL: databaseUrl };
  await runPackageScript('seed', [String(PETS)], env, signal);
  const keys: string[] = [];
  for (let client = 1; client <= CLIENTS; client += 1) {
    const args = ['create', `soak-${client}`];
    keys.push(await runPackageScript('keys', args, env, signal));
  }
  const postgres = env.DATA_DIR === undefined ? undefined : await embeddedPostgres(env.DATA_DIR);
  const run = runnerOn(databaseUrl ?? postgres?.url ?? '');
  return {
    env,
    keys,
    version: () =>
      run(async (client) => {
        const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
        return rows[0]?.server_version ?? '';
      }),
    pets: PETS,
    petsLeft: () =>
      run(async (client) => {
        const text = 'SELECT count(*)::int FROM pets WHERE id BETWEEN 1 AND $1';
        return (await client.query<{ count: number }>(text, [PETS])).rows[0]?.count ?? 0;
      }),
    added: () =>
      run(async (client) => {
        const text = 'SELECT id, name FROM pets WHERE id NOT BETWEEN 1 AND $1';
        return (await client.query<StoredAnimal>(text, [PETS])).rows;
      }),
    answers: async (giveUp) => {
      while (
        (await run((client) => client.query('SELECT 1')).catch(() => undefined)) === undefined
      ) {
        await setTimeout(POLL_INTERVAL, undefined, { signal: giveUp });
      }
    },
    cutAllConnections: () =>
      run(async (client) => {
        await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        );
      }),
    lock: (milliseconds, giveUp) =>
      run(async (client) => {
        await client.query('BEGIN');
        await client.query('LOCK TABLE pets');
        await setTimeout(milliseconds, undefined, { signal: giveUp });
        await client.query('COMMIT');
      }),
    postgres,
    [Symbol.asyncDispose]: async () => {
      if (env.DATA_DIR !== undefined) await stopServer(await openCluster(env.DATA_DIR, EMBEDDED));
    },
  };
}

/** Returns a function that runs an action on a connection of its own. */
function runnerOn(connectionString: string) {
  return async <Result>(act: (client: Client) => Promise<Result>): Promise<Result> => {
    const client = new Client({
      connectionString,
      connectionTimeoutMillis: DATABASE_TIMEOUT,
      query_timeout: DATABASE_TIMEOUT,
    });
    // The fault may cut this connection, too.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await act(client);
    } finally {
      await client.end();
    }
  };
}
