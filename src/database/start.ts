import type { Config } from '../config.ts';
import { openDatabase, type Database } from './client.ts';
import { joinEmbeddedPostgres } from './embedded/join.ts';
import { applyMigrations } from './migrations/apply.ts';

export interface StartedDatabase {
  readonly database: Database;
  /** Ends the connections and, if nobody else uses it, the embedded PostgreSQL. */
  readonly stop: () => Promise<void>;
}

/**
 * The database that the configuration names, migrated: the PostgreSQL at DATABASE_URL or the embedded
 * one, which several processes may share.
 *
 * @param meanwhile called when there is time for something else: whenever the embedded one has been
 *   launched and is yet to be ready
 * @param stopped cuts short a wait for another process that migrates the database
 * @param timeoutMs for a connection to be made, and for a statement; by default what a request may wait
 * @throws StartupFailure; nothing that was started for it is left behind
 */
export async function startDatabase(
  { databaseUrl, dataDirectory }: Pick<Config, 'databaseUrl' | 'dataDirectory'>,
  meanwhile?: () => void,
  stopped?: AbortSignal,
  timeoutMs?: number,
): Promise<StartedDatabase> {
  const embedded =
    databaseUrl === undefined ? await joinEmbeddedPostgres(dataDirectory, meanwhile) : undefined;
  const url = databaseUrl ?? embedded?.url ?? '';
  try {
    await applyMigrations(url, stopped);
  } catch (error) {
    await embedded?.leave();
    throw error;
  }
  const database = openDatabase(url, timeoutMs);
  return {
    database,
    stop: async () => {
      await database.$disconnect();
      await embedded?.leave();
    },
  };
}
