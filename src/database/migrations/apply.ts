import { StartupFailure } from '../../startup-failure.ts';
import { addressOf } from '../connection-failure.ts';
import { makeSchema } from '../store-schema.ts';
import { type OnSlowWait, reportSlowWait } from '../slow-start.ts';
import { type Migration, readMigrations } from './files.ts';
import { isUpToDate, readHistory } from './history.ts';
import { databaseReason, refuseFailed, refuseForeign } from './refusals.ts';
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
  { stopped, onSlowWait, onSchema }: MigrationOptions = {},
): Promise<string[]> {
  const migrations = await readMigrations();
  const waitFor = <T>(waitingFor: string, awaited: Promise<T>) =>
    reportSlowWait(waitingFor, awaited, onSlowWait);
  const server = `the database at ${addressOf(url)}`;
  const session = await waitFor(server, openSession(url, stopped));
  try {
    onSchema?.(session.schema);
    // Nearly every start ends here, without a lock and without loading five megabytes of engine.
    if (isUpToDate(await waitFor(server, readHistory(session)), migrations)) return [];
    await waitFor(
      'another process that migrates the database',
      takeMigrationLock(session, stopped),
    );
    await makeSchema(session);
    return await migrate(session, migrations);
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    throw new StartupFailure(`The database cannot be migrated: ${databaseReason(error)}.`, {
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

  const { migrationsInput, openSchemaEngine } = await import('./schema-engine.ts');
  using engine = await openSchemaEngine(session);
  const input = await migrationsInput(migrations);
  refuseForeign(await engine.diagnoseMigrationHistory({ ...input, optInToShadowDatabase: false }));
  try {
    return (await engine.applyMigrations(input)).appliedMigrationNames;
  } catch (error) {
    refuseFailed(await readHistory(session));
    throw error;
  }
}
