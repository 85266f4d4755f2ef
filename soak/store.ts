import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { runCommandFile } from '../bench/processes/command.ts';
import { embeddedPostgres, type EmbeddedPostgres } from '../test/support/embedded-postgres.ts';
import type { StoredAnimal } from './ledger.ts';

/** The database under test, as somebody beside the service sees and breaks it. */
export interface Store {
  /** For the service. */
  readonly env: NodeJS.ProcessEnv;
  readonly key: string;
  /** Of PostgreSQL. */
  readonly version: () => Promise<string>;
  /** How many animals there were before, with the ids 1 to that. */
  readonly pets: number;
  /** Those that were added since. */
  readonly added: () => Promise<StoredAnimal[]>;
  readonly cutAllConnections: () => Promise<void>;
  /** Keeps everyone else from the table for so many milliseconds. */
  readonly lock: (milliseconds: number) => Promise<void>;
  /** Undefined for one whose processes are not ours to break. */
  readonly postgres: EmbeddedPostgres | undefined;
}

const PETS = 100_000;

/** Fills the database at the URL, or an embedded one in the folder. */
export async function prepareStore(
  folder: string,
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<Store> {
  const env =
    databaseUrl === undefined ? { DATA_DIR: join(folder, 'data') } : { DATABASE_URL: databaseUrl };
  await runCommandFile('src/commands/seed.ts', [String(PETS)], env, signal);
  const key = await runCommandFile('src/commands/keys.ts', ['create', 'soak'], env, signal);
  const postgres = env.DATA_DIR === undefined ? undefined : await embeddedPostgres(env.DATA_DIR);
  const url = databaseUrl ?? postgres?.url ?? '';

  const run = async <Result>(act: (client: Client) => Promise<Result>): Promise<Result> => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    // Cut like the others.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await act(client);
    } finally {
      await client.end();
    }
  };
  return {
    env,
    key,
    version: () =>
      run(async (client) => {
        const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
        return rows[0]?.server_version ?? '';
      }),
    pets: PETS,
    added: () =>
      run(async (client) => {
        const text = 'SELECT id, name FROM pets WHERE id > $1';
        return (await client.query<StoredAnimal>(text, [PETS])).rows;
      }),
    cutAllConnections: () =>
      run(async (client) => {
        await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        );
      }),
    lock: (milliseconds) =>
      run(async (client) => {
        await client.query('BEGIN');
        await client.query('LOCK TABLE pets');
        await setTimeout(milliseconds);
        await client.query('COMMIT');
      }),
    postgres,
  };
}
