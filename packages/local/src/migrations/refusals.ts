import { StartupFailure } from '@store-gateway/ops';
import { addressOf } from '@store-gateway/postgres';
import type { Client } from 'pg';
import type { History } from './history.ts';

/** Why repairing the rows in the way may not help. */
const ON_CITUS =
  "What Citus doesn't support can't be repaired, such as a unique index without the column that its table is distributed by: first remove that from the migration's file, or delete the migration.";

/**
 * Refuses a history with a migration that was begun and not finished. Only under the migration lock: otherwise another
 * process may be at work on that very migration.
 *
 * @param isSharded whether the database is one of Citus
 * @throws StartupFailure
 */
export function refuseFailed({ migrations, recorded }: History, isSharded: boolean): void {
  const failed = recorded.find(({ finished }) => !finished);
  if (failed === undefined) return;
  const reason = failed.logs === null ? 'it was interrupted' : reasonIn(failed.logs);
  if (!migrations.some(({ name }) => name === failed.name)) {
    throw new StartupFailure(
      `The migration ${failed.name} failed on this database (${reason}), and this version does not include it; to continue without it, run npm run migrate -- --retry ${failed.name}.`,
    );
  }
  throw new StartupFailure(
    `The migration ${failed.name} failed on this database: ${reason}. Repair the cause, then apply it again with npm run migrate -- --retry ${failed.name}.${isSharded ? ` ${ON_CITUS}` : ''}`,
  );
}

/** Refuses a history with migrations that are not those of this version. @throws StartupFailure */
export function refuseForeign({ migrations, recorded }: History): void {
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

/** Refuses a history other than all migrations of this version, each of them finished. @throws StartupFailure */
export function refuseOther(history: History): void {
  const { migrations } = history;
  // First: one that has failed may be of another version, which is no way out.
  refuse(
    history.recorded.filter(({ finished }) => !finished),
    (names) =>
      `Migrations have not finished on this database (${names}); npm run migrate waits for them, or reports why they failed.`,
  );
  refuseForeign(history);
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

/** The lock of migrations belongs to a session, which a pooler may give to others. */
export function cannotMigrateThroughPooler(url: string): StartupFailure {
  return new StartupFailure(
    `The database at ${addressOf(url)} must be migrated, and that does not work through a pooler: set DATABASE_DIRECT_URL to a URL of PostgreSQL itself.`,
  );
}

/** A migration that is to be applied again, although it hasn't failed. */
export function hasNotFailed(name: string): StartupFailure {
  return new StartupFailure(`There is no migration ${name} that failed on this database.`);
}

/** A database that nobody has used yet. */
export function notMigrated(url: string): StartupFailure {
  return new StartupFailure(
    `The database at ${addressOf(url)} has no migrations: it is not the database of a service.`,
  );
}

/** The process was stopped while it could still leave the database unchanged. */
export function stoppedBeforeMigrating(cause: unknown): StartupFailure {
  return new StartupFailure('Stopped before the database was migrated.', { cause });
}

/** The one line that says why the database or the engine refused. */
export function databaseReason(error: unknown): string {
  return reasonIn(error instanceof Error ? error.message : String(error));
}

const DATABASE_LINE = /(?:Error querying the database|ERROR|FATAL): +(?:\p{Lu}+: +)?(.+)/u;

// Prisma's schema engine, which versions before recorded failures by, puts more around PostgreSQL's line.
function reasonIn(text: string): string {
  const reason = DATABASE_LINE.exec(text)?.[1] ?? text.split('\n', 1)[0] ?? '';
  return reason.trim().replace(/\.$/, '');
}

/** Refuses a database that has tables, and no history: they are of something else, unless they are an extension's. @throws StartupFailure */
export async function refuseOccupied(session: Client): Promise<void> {
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
      `The database cannot be migrated: its schema is not empty (${occupant.name}), and has no migrations; use an empty one.`,
    );
  }
}

/**
 * Refuses foreign keys of ordinary tables to distributed ones: Citus takes them, and doesn't check them when rows that they
 * refer to are deleted.
 *
 * @throws StartupFailure
 */
export async function refuseUnchecked(session: Client): Promise<void> {
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
