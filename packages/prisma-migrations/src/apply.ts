import { StartupFailure } from '@gateway/errors/startup-failure';
import { addressOf } from '@gateway/postgres/connection-failure';
import { makeSchema } from './schema-of-tables.ts';
import { type OnSlowWait, reportSlowWait } from './slow-start.ts';
import { type Migration, readMigrations } from './files.ts';
import { isUpToDate, readHistory, type RecordedMigration } from './history.ts';
import {
  databaseReason,
  refuseFailed,
  refuseForeign,
  refuseIncomplete,
  refuseLost,
} from './refusals.ts';
import { takeMigrationLock } from './lock.ts';
import { openSession, type Session } from './session.ts';

export interface MigrationOptions {
  readonly stopped?: AbortSignal | undefined;
  readonly onSlowWait?: OnSlowWait | undefined;
  /** Hears which schema of the database has the store. */
  readonly onSchema?: ((schema: string) => void) | undefined;
}

/**
 * Brings the database of `url` to this version's migrations, recorded as `prisma migrate deploy`
 * would. Any number of processes may do this at once: one migrates, the others wait up to a minute.
 * Returns the names of the migrations applied, none if there was nothing to do.
 *
 * Throws a StartupFailure when the database can't be used (see openSession), its history is not
 * that of this version (a failed, an unknown or a changed migration), or the process is `stopped` before it
 * migrates. A migration that has begun is not cut short: it would count as a failed one.
 */
export async function applyMigrations(
  url: string,
  options: MigrationOptions = {},
): Promise<string[]> {
  const { stopped, onSlowWait } = options;
  const failure = 'The database cannot be migrated';
  return compareHistory(url, { ...options, failure }, async ({ session, migrations, history }) => {
    // Nearly every start ends here, without a lock and without loading five megabytes of engine.
    if (isUpToDate(history, migrations)) return [];
    await reportSlowWait(
      'another process that migrates the database',
      takeMigrationLock(session, stopped),
      onSlowWait,
    );
    await makeSchema(session);
    return migrate(session, migrations);
  });
}

/**
 * Expects that the database of `url` has this version's migrations, and changes nothing.
 *
 * Throws a StartupFailure when it hasn't, when it can't be used, or when the process is `stopped` meanwhile.
 */
export async function expectMigrations(url: string, options: MigrationOptions = {}): Promise<void> {
  const failure = 'The migrations of the database cannot be read';
  await compareHistory(url, { ...options, failure }, ({ history, migrations }) => {
    refuseOther(history, migrations);
  });
}

function refuseOther(
  history: readonly RecordedMigration[],
  migrations: readonly Migration[],
): void {
  refuseForeign(history, migrations);
  refuseIncomplete(history, migrations);
}

interface Comparison {
  readonly session: Session;
  readonly migrations: readonly Migration[];
  /** As it was before anybody waited for a lock. */
  readonly history: readonly RecordedMigration[];
}

async function compareHistory<T>(
  url: string,
  { stopped, onSlowWait, onSchema, failure }: MigrationOptions & { readonly failure: string },
  act: (comparison: Comparison) => T | Promise<T>,
): Promise<T> {
  const migrations = await readMigrations();
  const waitFor = <A>(awaited: Promise<A>) =>
    reportSlowWait(`the database at ${addressOf(url)}`, awaited, onSlowWait);
  const session = await waitFor(openSession(url, stopped));
  try {
    onSchema?.(session.schema);
    return await act({ session, migrations, history: await waitFor(readHistory(session)) });
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    throw new StartupFailure(`${failure}: ${databaseReason(error)}.`, {
      cause: error,
    });
  } finally {
    // Ends the PostgreSQL session, and with it the lock.
    await session.end();
  }
}

async function migrate(session: Session, migrations: readonly Migration[]): Promise<string[]> {
  // Read again: another process may have migrated while this one waited for the lock, and only
  // under the lock is a migration that has not finished one that never will.
  const history = await readHistory(session);
  if (isUpToDate(history, migrations)) return [];
  refuseFailed(history);
  refuseForeign(history, migrations);

  const { migrationsInput, openSchemaEngine } = await import('./schema-engine.ts');
  using engine = await openSchemaEngine(session);
  try {
    const { appliedMigrationNames } = await engine.applyMigrations(
      await migrationsInput(migrations),
    );
    // What counts is what the next start will find.
    refuseOther(await readHistory(session), migrations);
    return appliedMigrationNames;
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    refuseFailed(await readHistory(session).catch(refuseLost));
    throw error;
  }
}
