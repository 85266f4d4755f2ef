import { StartupFailure } from '@gateway/errors/startup-failure';
import { addressOf } from '@gateway/postgres/connection-failure';
import type { Pooler } from '@gateway/postgres/pooler';
import { type Migration, readMigrations } from './files.ts';
import { isUpToDate, readHistory, type RecordedMigration } from './history.ts';
import { takeMigrationLock } from './lock.ts';
import {
  cannotMigrateThroughPooler,
  databaseReason,
  refuseFailed,
  refuseForeign,
  refuseOther,
} from './refusals.ts';
import { createMissingSchema } from './search-path.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';
import { type OnSlowWait, reportSlowWait } from './slow-start.ts';

export interface MigrationOptions extends SessionOptions {
  /** Of this version's migrations, as Prisma lays it out; ends with a slash. */
  readonly folder: URL;
  readonly onSlowWait?: OnSlowWait | undefined;
}

export interface MigratedDatabase {
  /** The schema of the application's tables. */
  readonly schema: string;
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
  /** What the URL leads to, if that is a pooler. */
  readonly pooler: Pooler | undefined;
}

/**
 * Brings the database of `url` to this version's migrations, recorded as `prisma migrate deploy` would. Any number of
 * processes may do this at once: one migrates, the others wait up to a minute.
 *
 * @throws StartupFailure when the database can't be used (see openSession), its history is not that of this version (a
 *   failed, an unknown or a changed migration), or the process is `stopped` before it migrates. A migration that has begun
 *   is not interrupted: it would count as failed.
 */
export function applyMigrations(url: string, options: MigrationOptions): Promise<MigratedDatabase> {
  const { folder, stopped, onSlowWait } = options;
  const failure = 'The database cannot be migrated';
  return onSession(url, options, failure, async (session, migrations, history) => {
    // Nearly every start ends here, without a lock and without loading five megabytes of engine.
    if (isUpToDate(history, migrations)) return [];
    if (session.pooler !== undefined) throw cannotMigrateThroughPooler(url);
    await reportSlowWait(
      'another process that migrates the database',
      takeMigrationLock(session, stopped),
      onSlowWait,
    );
    await createMissingSchema(session, session.schema);
    return migrate(session, folder, migrations);
  });
}

/**
 * Expects that the database of `url` has this version's migrations, and changes nothing.
 *
 * @throws StartupFailure when it hasn't, when it can't be used, or when the process is `stopped` meanwhile
 */
export function expectMigrations(
  url: string,
  options: MigrationOptions,
): Promise<MigratedDatabase> {
  const failure = 'The migrations of the database cannot be read';
  return onSession(url, options, failure, (_session, migrations, history) => {
    refuseOther(history, migrations);
    return [];
  });
}

type Act = (
  session: Session,
  migrations: readonly Migration[],
  /** As it was before anybody waited for a lock. */
  history: readonly RecordedMigration[],
) => readonly string[] | Promise<readonly string[]>;

async function onSession(
  url: string,
  options: MigrationOptions,
  failure: string,
  act: Act,
): Promise<MigratedDatabase> {
  const migrations = await readMigrations(options.folder);
  const waitFor = <A>(awaited: Promise<A>) =>
    reportSlowWait(`the database at ${addressOf(url)}`, awaited, options.onSlowWait);
  const session = await waitFor(openSession(url, options));
  try {
    const applied = await act(session, migrations, await waitFor(readHistory(session)));
    return { schema: session.schema, applied, pooler: session.pooler };
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    throw new StartupFailure(`${failure}: ${databaseReason(error)}.`, { cause: error });
  } finally {
    // Ends the PostgreSQL session, and with it the lock.
    await session.end();
  }
}

async function migrate(
  session: Session,
  folder: URL,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  // Read again: another process may have migrated meanwhile, and only under the lock is an unfinished migration one that
  // never will be.
  const history = await readHistory(session);
  if (isUpToDate(history, migrations)) return [];
  refuseFailed(history);
  refuseForeign(history, migrations);

  const { migrationsInput, openSchemaEngine } = await import('./schema-engine.ts');
  using engine = await openSchemaEngine(session);
  try {
    const input = await migrationsInput(folder, migrations);
    const { appliedMigrationNames } = await engine.applyMigrations(input);
    // What counts is what the next start will find.
    refuseOther(await readHistory(session), migrations);
    return appliedMigrationNames;
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    refuseFailed(await readHistory(session).catch(connectionLost));
    throw error;
  }
}

function connectionLost(cause: unknown): never {
  throw new StartupFailure(
    'The connection to the database was lost while it was migrated; start again to have that finished, or hear how far it came.',
    { cause },
  );
}
