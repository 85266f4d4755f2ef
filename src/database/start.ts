import { joinEmbeddedPostgres } from '@gateway/embedded-postgres/join';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { addressOf, connectionFailure } from '@gateway/postgres/connection-failure';
import { inSchema } from '@gateway/postgres/database-url';
import { applyMigrations, expectMigrations } from '@gateway/prisma-migrations/apply';
import { type OnSlowWait, reportSlowWait } from '@gateway/prisma-migrations/slow-start';
import type { Config } from '../config.ts';
import { EMBEDDED } from './application-name.ts';
import { openDatabase, type Database, type DatabaseOptions } from './client.ts';
import { MIGRATIONS } from './migrations.ts';

interface StartedDatabase {
  readonly database: Database;
  /** Closes the connections and, unless others use it, stops the embedded PostgreSQL. */
  readonly stop: () => Promise<void>;
}

interface WaitOptions {
  /** Ends what precedes the migrations: waiting for the database, and for another process that migrates. */
  readonly stopped?: AbortSignal;
  /** By default it is logged. */
  readonly onSlowWait?: OnSlowWait;
}

export interface StartOptions extends Omit<DatabaseOptions, 'openReplicas'>, WaitOptions {
  /** Of replicas that answer reads. */
  readonly replicaUrls?: readonly string[];
  /** Called when the embedded server has been launched and is not ready yet. */
  readonly onLaunched?: () => void;
}

/** `migrate` is true by default. */
type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDirectory'> &
  Partial<Pick<Config, 'migrate'>>;

/**
 * The database that the configuration names, migrated and connected: the PostgreSQL at DATABASE_URL, or the embedded one,
 * which several processes may share.
 *
 * @throws StartupFailure, after stopping whatever was started
 */
export async function startDatabase(
  { migrate = true, ...config }: DatabaseConfig,
  { replicaUrls = [], ...options }: StartOptions = {},
): Promise<StartedDatabase> {
  await using started = new AsyncDisposableStack();
  const url = await reach(config, started, options);
  const { stopped, onSlowWait } = options;
  const prepare = migrate ? applyMigrations : expectMigrations;
  const { schema } = await prepare(url, { ...MIGRATIONS, stopped, onSlowWait });
  const openReplicas =
    replicaUrls.length === 0
      ? undefined
      : (await import('./replicas.ts')).replicasAt(
          replicaUrls.map((replicaUrl) => inSchema(replicaUrl, schema)),
        );
  const database = openDatabase(inSchema(url, schema), { ...options, openReplicas });
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
 * Applies the migrations that the database lacks, and leaves it.
 *
 * @returns their names
 * @throws StartupFailure
 */
export async function migrateDatabase(
  config: DatabaseConfig,
  options: WaitOptions,
): Promise<readonly string[]> {
  await using started = new AsyncDisposableStack();
  const url = await reach(config, started, options);
  const { applied } = await applyMigrations(url, { ...MIGRATIONS, ...options });
  return applied;
}

/** The URL of the database; if that is the embedded one, it is left when `started` is disposed of. */
async function reach(
  { databaseUrl, dataDirectory }: DatabaseConfig,
  started: AsyncDisposableStack,
  { onLaunched, onSlowWait }: StartOptions,
): Promise<string> {
  if (databaseUrl !== undefined) {
    return databaseUrl;
  }
  const joining = joinEmbeddedPostgres(dataDirectory, EMBEDDED, onLaunched);
  const embedded = await reportSlowWait(`PostgreSQL on ${dataDirectory}`, joining, onSlowWait);
  started.defer(embedded.leave);
  // Not a schema named like the role, which PostgreSQL would prefer.
  return inSchema(embedded.url, 'public');
}
