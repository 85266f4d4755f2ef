import type { Gateway, PrismaClientLike } from '../definition.ts';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { StartupFailure } from '@store-gateway/ops';
import { inSchema } from '@store-gateway/postgres/database-url';
import { addressOf, connectionFailure } from '@store-gateway/postgres';
import {
  applyMigrations,
  expectMigrations,
  findMigrated,
  type MigratedDatabase,
  type MigrationOptions,
  reportSlowWait,
} from '@store-gateway/local/migrations';
import type { Config } from '../config/config.ts';
import type { DatabaseAddress } from './address.ts';
import { type Database, type DatabaseOptions, openDatabase, replicasAt } from './client.ts';
import { migrationsOf } from './tables.ts';

interface StartedDatabase<Client> {
  readonly database: Database<Client>;
  /** The address that `connectDatabase` needs to connect to the database from a different process. */
  readonly address: DatabaseAddress;
  /** Closes the connections and stops the embedded PostgreSQL, unless other processes use it. */
  readonly stop: () => Promise<void>;
}

interface MigratedStart<Client> extends StartedDatabase<Client> {
  /** Facts about the start, which are logged in the line that operators look for first after a deployment. */
  readonly facts: {
    /** The store's version. */
    readonly version: string;
    readonly node: string;
    /** The database's host and port, or the folder of its socket. */
    readonly database: string;
    /** The server's PostgreSQL version. */
    readonly postgresql: string;
    /** The names of the migrations that this start has applied. */
    readonly migrations: readonly string[];
  };
}

interface WaitOptions {
  /**
   * Aborts the wait for the database, and for a different process's migration. This process's own migration isn't interrupted.
   */
  readonly stopped?: AbortSignal;
  /** Called if a wait is long, with the name of the resource that the start waits for. By default, the name is logged. */
  readonly onSlowWait?: MigrationOptions['onSlowWait'];
}

export interface StartOptions extends Omit<DatabaseOptions, 'openReplicas'>, WaitOptions {
  /** URLs of replicas that serve reads. */
  readonly replicaUrls?: readonly string[];
  /** Called when the embedded server has been launched but is not ready yet. */
  readonly onLaunched?: () => void;
  /** Whether to leave the database unmigrated, because the running version may be older. */
  readonly staysAsIs?: boolean;
}

export type DatabaseConfig = Pick<
  Config,
  'databaseUrl' | 'dataDirectory' | 'databaseDirectUrl' | 'migrate'
>;

/**
 * Opens the configured database, and migrates it: the PostgreSQL at DATABASE_URL, or the embedded one, which several processes
 * may share.
 *
 * @throws StartupFailure, after stopping everything that was started
 */
export async function startDatabase<Client extends PrismaClientLike>(
  gateway: Gateway<Client>,
  config: DatabaseConfig,
  options: StartOptions,
): Promise<MigratedStart<Client>> {
  await using started = new AsyncDisposableStack();
  const url = await reach(gateway, config, started, options);
  const { stopped, onSlowWait, staysAsIs = false } = options;
  const migrations = { ...migrationsOf(gateway), stopped, onSlowWait };
  const { serverVersion, applied, ...found } = staysAsIs
    ? await findMigrated(url, migrations)
    : await migrated(url, config, migrations);
  const connected = await connectDatabase(gateway, { url, ...found }, options);
  started.defer(connected.stop);
  const running = started.move();
  const facts = {
    version: gateway.version,
    node: process.versions.node,
    database: addressOf(url),
    postgresql: serverVersion,
    migrations: applied,
  };
  return { ...connected, facts, stop: () => running.disposeAsync() };
}

/**
 * Connects to a database that another process has opened.
 *
 * @throws StartupFailure if the database can't be reached
 */
export async function connectDatabase<Client extends PrismaClientLike>(
  gateway: Gateway<Client>,
  address: DatabaseAddress,
  { replicaUrls = [], ...options }: StartOptions,
): Promise<StartedDatabase<Client>> {
  const { url, schema, pooler, isSharded, hasEarlierNames } = address;
  const { stopped, onSlowWait } = options;
  if (isSharded && replicaUrls.length > 0) {
    throw new StartupFailure(
      `DATABASE_REPLICA_URLS can't be used, because the database at ${addressOf(url)} is sharded by Citus: a replica of its coordinator can't report how far the workers' replicas lag.`,
    );
  }
  await using started = new AsyncDisposableStack();
  const openReplicas =
    replicaUrls.length === 0
      ? undefined
      : replicasAt(replicaUrls.map((each) => inSchema(each, schema)));
  const database = openDatabase(gateway, inSchema(url, schema), {
    ...options,
    pooler,
    isSharded,
    hasEarlierNames,
    openReplicas,
  });
  started.defer(() => database.$disconnect());
  const connecting = reportSlowWait(
    `the database at ${addressOf(url)}`,
    database.$connect(stopped),
    onSlowWait,
  );
  await connecting.catch((error: unknown) => {
    throw stopped?.aborted === true
      ? new StartupFailure('Stopped before connecting to the database.', { cause: error })
      : connectionFailure(url, error);
  });
  const running = started.move();
  return { database, address, stop: () => running.disposeAsync() };
}

const DIRECT = 'DATABASE_DIRECT_URL';

/**
 * Migrates a database, or checks its migrations if MIGRATE is off. Migrations don't work through a pooler: with
 * DATABASE_DIRECT_URL, they use that URL, and the migrations of the server behind the pooler are only checked.
 */
async function migrated(
  url: string,
  { migrate, databaseDirectUrl: directUrl }: DatabaseConfig,
  options: MigrationOptions,
): Promise<MigratedDatabase> {
  if (!migrate) {
    return expectMigrations(url, options);
  }
  if (directUrl === undefined) {
    return applyMigrations(url, options);
  }
  const { schema, applied } = await applyMigrations(directUrl, { ...options, variable: DIRECT });
  return { ...(await expectMigrations(inSchema(url, schema), options)), applied };
}

/**
 * Applies the pending migrations, and disconnects.
 *
 * @returns their names
 * @throws StartupFailure
 */
export async function migrateDatabase(
  gateway: Gateway,
  config: DatabaseConfig,
  options: WaitOptions & { readonly retry?: string | undefined },
): Promise<readonly string[]> {
  await using started = new AsyncDisposableStack();
  const url = await reach(gateway, config, started, options);
  const { databaseDirectUrl: directUrl } = config;
  const { applied } = await applyMigrations(directUrl ?? url, {
    ...migrationsOf(gateway),
    ...options,
    variable: directUrl && DIRECT,
  });
  return applied;
}

/**
 * Returns the URL of the database. Joins the embedded PostgreSQL if that is the database, and leaves it when `started` is
 * disposed of.
 */
async function reach(
  gateway: Gateway,
  { databaseUrl, dataDirectory }: DatabaseConfig,
  started: AsyncDisposableStack,
  { onLaunched, onSlowWait }: StartOptions,
): Promise<string> {
  if (databaseUrl !== undefined) {
    return databaseUrl;
  }
  const joining = joinEmbeddedPostgres(dataDirectory, gateway.cluster, onLaunched);
  const embedded = await reportSlowWait(`PostgreSQL on ${dataDirectory}`, joining, onSlowWait);
  started.defer(embedded.leave);
  // By default, PostgreSQL would prefer a schema with the same name as the role.
  return inSchema(embedded.url, 'public');
}
