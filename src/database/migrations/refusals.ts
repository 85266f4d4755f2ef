import type { DiagnoseMigrationHistoryOutput } from '@prisma/schema-engine-wasm';
import { StartupFailure } from '../../startup-failure.ts';
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
export function refuseForeign({
  history,
  editedMigrationNames,
}: DiagnoseMigrationHistoryOutput): void {
  if (history !== null && 'unpersistedMigrationNames' in history) {
    throw new StartupFailure(
      `The database has migrations that this version does not know (${history.unpersistedMigrationNames.join(', ')}); start the version that wrote them, or a newer one.`,
    );
  }
  if (editedMigrationNames.length > 0) {
    throw new StartupFailure(
      `Migrations were changed after they had been applied to this database (${editedMigrationNames.join(', ')}); restore their files and put the change into a new migration.`,
    );
  }
}

/** That the process was told to stop while it could still leave the database as it was. */
export function stoppedBeforeMigrating(cause: unknown): StartupFailure {
  return new StartupFailure('It was told to stop before the database was migrated.', { cause });
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
