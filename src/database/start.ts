import type { Config } from '../config.ts';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { openDatabase, type Database, type DatabaseOptions } from './client.ts';
import { addressOf, connectionFailure } from '@gateway/postgres/connection-failure';
import { inSchema } from '@gateway/postgres/database-url';
import { joinEmbeddedPostgres } from '@gateway/embedded-postgres/join';
import { applyMigrations, expectMigrations } from '@gateway/prisma-migrations/apply';
import { type OnSlowWait, reportSlowWait } from '@gateway/prisma-migrations/slow-start';

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

/** Where the database is, and whether a start applies migrations: unless told otherwise it does. */
type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDirectory'> &
  Partial<Pick<Config, 'migrate'>>;

/**
 * The database that the configuration names, with all migrations: the PostgreSQL at DATABASE_URL or the embedded
 * one, which several processes may share. It is connected: a request doesn't have to wait for that.
 *
 * @throws StartupFailure; nothing that was started for it is left behind
 */
export async function startDatabase(
  config: DatabaseConfig,
  options: StartOptions = {},
): Promise<StartedDatabase> {
  await using started = new AsyncDisposableStack();
  const url = await reach(config, started, options);
  const { stopped, onSlowWait } = options;
  const { migrate = true } = config;
  let storeUrl = url;
  const onSchema = (schema: string) => {
    storeUrl = inSchema(url, schema);
  };
  await (migrate ? applyMigrations : expectMigrations)(url, { stopped, onSlowWait, onSchema });
  const database = openDatabase(storeUrl, options);
  started.defer(() => database.$disconnect());
  const connecting = reportSlowWait(
    `the database at ${addressOf(url)}`,
    database.$connect(stopped),
    onSlowWait,
  );
  await connecting.catch((error: unknown) => {
    throw stopped?.aborted === true
      ? new StartupFailure('It was told to stop before it was connected.', { cause: error })
      : connectionFailure(url, error);
  });
  const running = started.move();
  return { database, stop: () => running.disposeAsync() };
}

/**
 * Applies the migrations that the database lacks, and leaves it. Returns their names.
 *
 * @throws StartupFailure
 */
export async function migrateDatabase(
  config: DatabaseConfig,
  options: Pick<StartOptions, 'stopped' | 'onSlowWait'>,
): Promise<string[]> {
  await using started = new AsyncDisposableStack();
  // Awaited here: whoever returns a promise has left before it settles.
  return await applyMigrations(await reach(config, started, options), options);
}

/** The URL of the database, which is the embedded one until `started` is disposed of, if there is no other. */
async function reach(
  { databaseUrl, dataDirectory }: DatabaseConfig,
  started: AsyncDisposableStack,
  { meanwhile, onSlowWait }: Pick<StartOptions, 'meanwhile' | 'onSlowWait'>,
): Promise<string> {
  if (databaseUrl !== undefined) {
    return databaseUrl;
  }
  const joining = joinEmbeddedPostgres(dataDirectory, meanwhile);
  const embedded = await reportSlowWait(`PostgreSQL on ${dataDirectory}`, joining, onSlowWait);
  started.defer(embedded.leave);
  // A schema that somebody names like its role is none of the service's.
  return inSchema(embedded.url, 'public');
}
