import { StartupFailure } from '@store-gateway/ops';
import { addressOf } from '@store-gateway/postgres';
import type { Client } from 'pg';
import type { History } from './history.ts';

/** What to do on Citus if correcting rows is not enough. */
const ON_CITUS =
  "If the migration uses something that Citus doesn't support, such as a unique index without the table's distribution column, first remove that from the migration's file, or delete the migration.";

/**
 * Rejects a history with a migration that was started but not finished. Call this only under the migration lock, because
 * otherwise another process may be running that migration.
 *
 * @param isSharded whether the database is sharded by Citus
 * @throws StartupFailure
 */
export function rejectFailedMigration({ migrations, recorded }: History, isSharded: boolean): void {
  const failed = recorded.find(({ finished }) => !finished);
  if (failed === undefined) return;
  const reason = failed.logs === null ? 'it was interrupted' : reasonIn(failed.logs);
  if (!migrations.some(({ name }) => name === failed.name)) {
    throw new StartupFailure(
      `The migration ${failed.name} failed on this database (${reason}), and this version does not include it; to continue without it, run npm run migrate -- --retry ${failed.name}.`,
    );
  }
  throw new StartupFailure(
    `The migration ${failed.name} failed on this database: ${reason}. Fix the cause, then retry it with npm run migrate -- --retry ${failed.name}.${isSharded ? ` ${ON_CITUS}` : ''}`,
  );
}

/**
 * Rejects a history with migrations that this version doesn't have, or whose files have changed.
 *
 * @throws StartupFailure
 */
export function rejectForeignMigrations({ migrations, recorded }: History): void {
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  refuse(
    recorded.filter(({ name }) => !checksums.has(name)),
    (names) =>
      `The database has migrations that this version does not include (${names}); start the version that applied them, or a newer one.`,
  );
  refuse(
    recorded.filter(({ name, checksum }) => checksums.get(name) !== checksum),
    (names) =>
      `Migrations were changed after they had been applied to this database (${names}); restore their files and put the change into a new migration.`,
  );
}

/**
 * Rejects a history unless it has exactly this version's migrations, all of them finished.
 *
 * @throws StartupFailure
 */
export function rejectDivergedHistory(history: History): void {
  const { migrations } = history;
  // Checked first, because a failed migration may belong to another version, and starting that version wouldn't help.
  refuse(
    history.recorded.filter(({ finished }) => !finished),
    (names) =>
      `Migrations have not finished on this database (${names}); npm run migrate waits for them, or reports why they failed.`,
  );
  rejectForeignMigrations(history);
  const recorded = new Set(history.recorded.map(({ name }) => name));
  refuse(
    migrations.filter(({ name }) => !recorded.has(name)),
    (names) =>
      `The database lacks migrations of this version (${names}); apply them with npm run migrate.`,
  );
}

function refuse(
  migrations: readonly { readonly name: string }[],
  message: (names: string) => string,
): void {
  if (migrations.length > 0) {
    throw new StartupFailure(message(migrations.map(({ name }) => name).join(', ')));
  }
}

/**
 * Creates the failure for an attempt to migrate through a pooler. The migration lock belongs to a session, and a pooler shares
 * its sessions between clients.
 */
export function cannotMigrateThroughPooler(url: string): StartupFailure {
  return new StartupFailure(
    `The database at ${addressOf(url)} must be migrated, and that does not work through a pooler: set DATABASE_DIRECT_URL to a URL of PostgreSQL itself.`,
  );
}

/** Creates the failure for an attempt to retry a migration that hasn't failed. */
export function hasNotFailed(name: string): StartupFailure {
  return new StartupFailure(`No migration ${name} has failed on this database.`);
}

/** Creates the failure for a database without migrations. */
export function notMigrated(url: string): StartupFailure {
  return new StartupFailure(
    `The database at ${addressOf(url)} has no migration history: either the service has never migrated it, or it is the wrong database.`,
  );
}

/** Creates the failure for a process that was stopped before it changed the database. */
export function migrationNotStarted(cause: unknown): StartupFailure {
  return new StartupFailure('Stopped before the database was migrated.', { cause });
}

/** Returns the line of an error message that contains the database's reason. */
export function databaseReason(error: unknown): string {
  return reasonIn(error instanceof Error ? error.message : String(error));
}

const DATABASE_LINE = /(?:Error querying the database|ERROR|FATAL): +(?:\p{Lu}+: +)?(.+)/u;

// Earlier versions recorded failures of Prisma's schema engine, which puts more text around PostgreSQL's line.
function reasonIn(text: string): string {
  const reason = DATABASE_LINE.exec(text)?.[1] ?? text.split('\n', 1)[0] ?? '';
  return reason.trim().replace(/\.$/, '');
}

/**
 * Rejects a database that has tables but no migration history, because it belongs to a different application. Tables that belong
 * to extensions are allowed.
 *
 * @throws StartupFailure
 */
export async function rejectNonEmptyDatabase(session: Client): Promise<void> {
  const { rows } = await session.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = current_schema() AND relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
     ORDER BY relname LIMIT 1`,
  );
  const [occupant] = rows;
  if (occupant !== undefined) {
    throw new StartupFailure(
      `The database cannot be migrated: its schema is not empty (${occupant.name}), and has no migrations; use an empty schema.`,
    );
  }
}

/**
 * Rejects foreign keys from ordinary tables to distributed ones. Citus accepts them, but doesn't check them when referenced rows
 * are deleted.
 *
 * @throws StartupFailure
 */
export async function rejectUncheckedMigration(session: Client): Promise<void> {
  const { rows } = await session.query<{ name: string; referred: string }>(
    `WITH distributed AS (SELECT logicalrelid FROM pg_dist_partition WHERE partmethod = 'h')
     SELECT conname AS name, confrelid::regclass AS referred FROM pg_constraint
     WHERE contype = 'f' AND confrelid IN (TABLE distributed) AND conrelid NOT IN (TABLE distributed)
     ORDER BY conname LIMIT 1`,
  );
  const [unchecked] = rows;
  if (unchecked !== undefined) {
    throw new StartupFailure(
      `The foreign key ${unchecked.name} refers to ${unchecked.referred}, which Citus has distributed, so it would not be checked when rows there are deleted; drop it with a migration.`,
    );
  }
}
