import { EMBEDDED } from '../test/support/store-database.ts';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { runPackageScript } from '../bench/processes/command.ts';
import { openCluster, stopServer } from '../packages/local/src/embedded/server.ts';
import { embeddedPostgres, type EmbeddedPostgres } from '../test/support/embedded-postgres.ts';
import type { StoredAnimal } from '../test/support/ledger.ts';

/**
 * The database under test, as somebody beside the service sees and breaks it. Disposing of it stops an embedded one
 * that a killed service has left.
 */
export interface Store extends AsyncDisposable {
  /** For the service. */
  readonly env: NodeJS.ProcessEnv;
  /** For the clients. */
  readonly keys: readonly string[];
  /** Of PostgreSQL. */
  readonly version: () => Promise<string>;
  /** How many animals there were before, with the ids 1 to that. */
  readonly pets: number;
  /** How many of those are still there. */
  readonly petsLeft: () => Promise<number>;
  /** All others. */
  readonly added: () => Promise<StoredAnimal[]>;
  /** Resolves once it answers. */
  readonly answers: (signal: AbortSignal) => Promise<void>;
  readonly cutAllConnections: () => Promise<void>;
  /** Keeps everyone else from the table for so many milliseconds. */
  readonly lock: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Undefined for one whose processes are not ours to break. */
  readonly postgres: EmbeddedPostgres | undefined;
}

const PETS = 100_000;

/** A single client may have half of the open requests, which is less than a database that stands still keeps waiting. */
const CLIENTS = 4;

/** Milliseconds for it to be connected to, and for a statement. */
const DATABASE_TIMEOUT = 10_000;

/** Milliseconds from one look whether it answers to the next. */
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

/** What does something on a connection of its own. */
function runnerOn(connectionString: string) {
  return async <Result>(act: (client: Client) => Promise<Result>): Promise<Result> => {
    const client = new Client({
      connectionString,
      connectionTimeoutMillis: DATABASE_TIMEOUT,
      query_timeout: DATABASE_TIMEOUT,
    });
    // Cut like the others.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await act(client);
    } finally {
      await client.end();
    }
  };
}
