import { StartupFailure } from '@gateway/errors/startup-failure';
import { addressOf } from '@gateway/postgres/connection-failure';
import type { Migration } from './files.ts';
import type { RecordedMigration } from './history.ts';

/**
 * Refuses a history with a migration that was begun and not finished. Only under the migration lock: otherwise another
 * process may be at work on that very migration.
 *
 * @throws StartupFailure
 */
export function refuseFailed(history: readonly RecordedMigration[]): void {
  const failed = history.find(({ finished }) => !finished);
  if (failed === undefined) return;
  const reason = failed.logs === null ? 'it was interrupted' : reasonIn(failed.logs);
  throw new StartupFailure(
    `The migration ${failed.name} failed on this database: ${reason}. Repair the cause, then set rolled_back_at in its row of _prisma_migrations to have it applied again.`,
  );
}

/** Refuses a history with migrations that are not those of this version. @throws StartupFailure */
export function refuseForeign(
  history: readonly RecordedMigration[],
  migrations: readonly Migration[],
): void {
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  refuse(
    history.filter(({ name }) => !checksums.has(name)),
    (names) =>
      `The database has migrations that this version does not know (${names}); start the version that wrote them, or a newer one.`,
  );
  refuse(
    history.filter(({ name, checksum }) => checksums.get(name) !== checksum),
    (names) =>
      `Migrations were changed after they had been applied to this database (${names}); restore their files and put the change into a new migration.`,
  );
}

/** Refuses a history other than all migrations of this version, each of them finished. @throws StartupFailure */
export function refuseOther(
  history: readonly RecordedMigration[],
  migrations: readonly Migration[],
): void {
  refuseForeign(history, migrations);
  refuse(
    history.filter(({ finished }) => !finished),
    (names) =>
      `Migrations have not finished on this database (${names}); npm run migrate waits for them, or says why they failed.`,
  );
  const recorded = new Set(history.map(({ name }) => name));
  refuse(
    migrations.filter(({ name }) => !recorded.has(name)),
    (names) =>
      `The database lacks migrations of this version (${names}); apply them by npm run migrate.`,
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
    `The database at ${addressOf(url)} is to be migrated, which a pooler does not allow: set DATABASE_DIRECT_URL to a URL of PostgreSQL itself.`,
  );
}

/** The process was told to stop while it could still leave the database as it was. */
export function stoppedBeforeMigrating(cause: unknown): StartupFailure {
  return new StartupFailure('It was told to stop before the database was migrated.', { cause });
}

/** The one line that says why the database or the engine refused. */
export function databaseReason(error: unknown): string {
  return reasonIn(error instanceof Error ? error.message : String(error));
}

const DATABASE_LINE = /(?:Error querying the database|ERROR|FATAL): +(?:\p{Lu}+: +)?(.+)/u;

// The engine's messages go on with a trace of its own code; PostgreSQL's line is what helps.
function reasonIn(text: string): string {
  const reason = DATABASE_LINE.exec(text)?.[1] ?? text.split('\n', 1)[0] ?? '';
  return reason.trim().replace(/\.$/, '');
}
