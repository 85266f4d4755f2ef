import { StartupFailure } from '@gateway/errors/startup-failure';
import type { Migration } from './files.ts';
import type { RecordedMigration } from './history.ts';

/**
 * Throws a StartupFailure if a migration was begun and not finished. Call it under the migration
 * lock: outside of it, another process may be at work on that very migration.
 */
export function refuseFailed(history: readonly RecordedMigration[]): void {
  const failed = history.find(({ finished }) => !finished);
  if (failed === undefined) return;
  const reason = failed.logs === null ? 'it was interrupted' : reasonIn(failed.logs);
  throw new StartupFailure(
    `The migration ${failed.name} failed on this database: ${reason}. Repair the cause, then set rolled_back_at in its row of _prisma_migrations to have it applied again.`,
  );
}

/** Throws a StartupFailure if the database has migrations that are not those of this version. */
export function refuseForeign(
  history: readonly RecordedMigration[],
  migrations: readonly Migration[],
): void {
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const unknown = history.filter(({ name }) => !checksums.has(name));
  if (unknown.length > 0) {
    throw new StartupFailure(
      `The database has migrations that this version does not know (${namesOf(unknown)}); start the version that wrote them, or a newer one.`,
    );
  }
  const edited = history.filter(({ name, checksum }) => checksums.get(name) !== checksum);
  if (edited.length > 0) {
    throw new StartupFailure(
      `Migrations were changed after they had been applied to this database (${namesOf(edited)}); restore their files and put the change into a new migration.`,
    );
  }
}

/** Throws a StartupFailure unless the database has all migrations of this version, and each has finished. */
export function refuseIncomplete(
  history: readonly RecordedMigration[],
  migrations: readonly Migration[],
): void {
  const unfinished = history.filter(({ finished }) => !finished);
  if (unfinished.length > 0) {
    throw new StartupFailure(
      `Migrations have not finished on this database (${namesOf(unfinished)}); npm run migrate waits for them, or says why they failed.`,
    );
  }
  const recorded = new Set(history.map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !recorded.has(name));
  if (missing.length > 0) {
    throw new StartupFailure(
      `The database lacks migrations of this version (${namesOf(missing)}); apply them by npm run migrate.`,
    );
  }
}

function namesOf(migrations: readonly { readonly name: string }[]): string {
  return migrations.map(({ name }) => name).join(', ');
}

/** That the process was told to stop while it could still leave the database as it was. */
export function stoppedBeforeMigrating(cause: unknown): StartupFailure {
  return new StartupFailure('It was told to stop before the database was migrated.', { cause });
}

/** Throws a StartupFailure for a session that can't be asked any more how far a migration came. */
export function refuseLost(cause: unknown): never {
  throw new StartupFailure(
    'The connection to the database was lost while it was migrated; start again to have that finished, or hear how far it came.',
    { cause },
  );
}

/** The one line that says why the database or the engine refused. */
export function databaseReason(error: unknown): string {
  return reasonIn(error instanceof Error ? error.message : String(error));
}

const databaseLine = /(?:Error querying the database|ERROR|FATAL): +(?:\p{Lu}+: +)?(.+)/u;

// The engine's messages go on with a trace of its own code; PostgreSQL's line is what helps.
function reasonIn(text: string): string {
  const reason = databaseLine.exec(text)?.[1] ?? text.split('\n', 1)[0] ?? '';
  return reason.trim().replace(/\.$/, '');
}
