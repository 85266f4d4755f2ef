import type { Config } from '../config.ts';
import { StartupFailure } from '../startup-failure.ts';
import { openDatabase, type Database, type DatabaseOptions } from './client.ts';
import { addressOf, connectionFailure } from './connection-failure.ts';
import { joinEmbeddedPostgres } from './embedded/join.ts';
import { applyMigrations } from './migrations/apply.ts';
import { type OnSlowWait, reportSlowWait } from './slow-start.ts';

export interface StartedDatabase {
  readonly database: Database;
  /** Ends the connections and, if nobody else uses it, the embedded PostgreSQL. */
  readonly stop: () => Promise<void>;
}

export interface StartOptions extends DatabaseOptions {
  /** Called when there is time for something else: whenever the embedded one has been launched and is yet to be ready. */
  readonly meanwhile?: () => void;
  /** Cuts short what comes before the migrations: the wait for an answer, and for another process that migrates. */
  readonly stopped?: AbortSignal;
  /** By default it is logged. */
  readonly onSlowWait?: OnSlowWait;
}

/**
 * The database that the configuration names, migrated: the PostgreSQL at DATABASE_URL or the embedded
 * one, which several processes may share. It is connected: a request doesn't have to wait for that.
 *
 * @throws StartupFailure; nothing that was started for it is left behind
 */
export async function startDatabase(
  { databaseUrl, dataDirectory }: Pick<Config, 'databaseUrl' | 'dataDirectory'>,
  { meanwhile, stopped, onSlowWait, ...options }: StartOptions = {},
): Promise<StartedDatabase> {
  await using started = new AsyncDisposableStack();
  const waitFor = <T>(waitingFor: string, awaited: Promise<T>) =>
    reportSlowWait(waitingFor, awaited, onSlowWait);
  let url = databaseUrl ?? '';
  if (databaseUrl === undefined) {
    const joining = joinEmbeddedPostgres(dataDirectory, meanwhile);
    const embedded = await waitFor(`PostgreSQL on ${dataDirectory}`, joining);
    started.defer(embedded.leave);
    ({ url } = embedded);
  }
  await applyMigrations(url, { stopped, onSlowWait });
  const database = openDatabase(url, options);
  started.defer(() => database.$disconnect());
  const connecting = database.$connect(stopped);
  await waitFor(`the database at ${addressOf(url)}`, connecting).catch((error: unknown) => {
    throw stopped?.aborted === true
      ? new StartupFailure('It was told to stop before it was connected.', { cause: error })
      : connectionFailure(url, error);
  });
  const running = started.move();
  return { database, stop: () => running.disposeAsync() };
}
