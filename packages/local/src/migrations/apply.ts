import {
  type MigrationSession,
  takeMigrationLock,
  createMissingSchema,
  openSession,
  type SessionOptions,
} from './session.ts';
import { log, StartupFailure } from '@store-gateway/ops';
import { randomUUID } from 'node:crypto';
import { type Client, DatabaseError, escapeIdentifier } from 'pg';
import {
  type Migration,
  type History,
  hasEarlierNames,
  isUpToDate,
  type MigrationSource,
  readHistories,
  readSources,
  type ReadSource,
} from './history.ts';
import {
  hasNotFailed,
  cannotMigrateThroughPooler,
  databaseReason,
  notMigrated,
  rejectFailedMigration,
  rejectForeignMigrations,
  rejectNonEmptyDatabase,
  rejectDivergedHistory,
  rejectUncheckedMigration,
} from './refusals.ts';
import { addressOf, type Pooler } from '@store-gateway/postgres';

/**
 * Matches a statement up to its semicolon. Comments, strings, quoted names and dollar-quoted bodies may contain further
 * semicolons.
 */
const STATEMENT =
  /(?:--[^\n]*|\/\*[^]*?\*\/|e'(?:\\[^]|[^'\\])*'|'[^']*'|"[^"]*"|[\p{L}_][\p{L}\d_$]*|\$([\p{L}_][\p{L}\d_]*)?\$[^]*?\$\1\$|[^;])+;?/giu;

const COMMENTS = /--[^\n]*|\/\*[^]*?\*\//g;

/**
 * Runs a migration's script, entirely or not at all. The script is sent as one message, so a script with a single statement, such
 * as a DO block, may commit partway through. For each statement of a message, Citus sends the whole message to its workers, so on
 * a sharded database the statements are sent one by one.
 */
async function runScript(session: MigrationSession, script: string): Promise<void> {
  const statements = (script.match(STATEMENT) ?? []).filter(
    (part) => part.replaceAll(COMMENTS, '').trim() !== '',
  );
  if (!session.isSharded || statements.length < 2) {
    await session.query(script);
    return;
  }
  await session.query('BEGIN');
  // Otherwise, Citus would reject some statements, for example the creation of a type after rows in all shards were changed.
  await session.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
  for (const statement of statements) {
    await session.query(statement);
  }
  await session.query('COMMIT');
}

const REPORT_AFTER_MS = 5000;

/** Called with a description of what startup is waiting for, if the wait is long. */
type OnSlowWait = (waitingFor: string) => void;

/** Awaits a startup step. If the step takes long, reports what it is waiting for, by default in the log. */
export async function reportSlowWait<T>(
  waitingFor: string,
  awaited: Promise<T>,
  onSlowWait: OnSlowWait = () => {
    log.warn({ waitingFor }, 'still starting');
  },
): Promise<T> {
  const timer = setTimeout(onSlowWait, REPORT_AFTER_MS, waitingFor);
  try {
    return await awaited;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a statement that creates a history table in the format of Prisma's schema engine. */
function historyTable(table: string): string {
  return `
    CREATE TABLE IF NOT EXISTS ${escapeIdentifier(table)} (
      id VARCHAR(36) PRIMARY KEY NOT NULL,
      checksum VARCHAR(64) NOT NULL,
      finished_at TIMESTAMPTZ,
      migration_name VARCHAR(255) NOT NULL,
      logs TEXT,
      rolled_back_at TIMESTAMPTZ,
      started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
      applied_steps_count INTEGER NOT NULL DEFAULT 0
    )`;
}

/**
 * Applies a migration and records it. Its script takes effect entirely or not at all, unless it is a single DO block, which may
 * commit partway through.
 *
 * @throws DatabaseError if the script fails, after recording the failure
 */
async function applyMigration(
  session: MigrationSession,
  table: string,
  { name, script, checksum }: Migration,
): Promise<void> {
  const history = escapeIdentifier(table);
  const id = randomUUID();
  await session.query(`INSERT INTO ${history} (id, checksum, migration_name) VALUES ($1, $2, $3)`, [
    id,
    checksum,
    name,
  ]);
  try {
    await runScript(session, script);
  } catch (error) {
    if (error instanceof DatabaseError) {
      // Ends a transaction that the script has left open.
      await session.query('ROLLBACK');
      await session.query(`UPDATE ${history} SET logs = $2 WHERE id = $1`, [id, error.message]);
    }
    throw error;
  }
  await session.query(
    `UPDATE ${history} SET finished_at = now(), applied_steps_count = 1 WHERE id = $1`,
    [id],
  );
}

/**
 * Marks a failed migration as rolled back, like `prisma migrate resolve`, so that it is ignored. Call this only under the
 * migration lock.
 *
 * @throws StartupFailure if no such migration has failed
 */
async function markRolledBack(
  session: Client,
  histories: readonly History[],
  name: string,
): Promise<void> {
  let marked = 0;
  for (const { table } of histories.filter(({ exists }) => exists)) {
    const { rowCount } = await session.query(
      `UPDATE ${escapeIdentifier(table)} SET rolled_back_at = now()
       WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
      [name],
    );
    marked += rowCount ?? 0;
  }
  if (marked === 0) throw hasNotFailed(name);
}

/** A version's migrations, and the options of the database connection. */
export interface MigrationOptions extends SessionOptions {
  /** This version's migrations, in the order in which they are applied. */
  readonly sources: readonly MigrationSource[];
  readonly onSlowWait?: OnSlowWait | undefined;
  /** A failed migration to retry after the cause of its failure was fixed. */
  readonly retry?: string | undefined;
}

/** A database that has all migrations of a version. */
export interface MigratedDatabase {
  /** The schema of the application's tables. */
  readonly schema: string;
  /** Names of the migrations that this call applied. */
  readonly applied: readonly string[];
  /** The server's version, such as `18.1`. */
  readonly serverVersion: string;
  /** The pooler that the URL connects to, if any. */
  readonly pooler: Pooler | undefined;
  /** Whether the database's tables may be distributed over several servers by Citus. */
  readonly isSharded: boolean;
  /** Whether an earlier version created the database, with the earlier names of a source. */
  readonly hasEarlierNames: boolean;
}

/**
 * Applies this version's pending migrations to the database of `url`, and records them like `prisma migrate deploy`. Any number
 * of processes may call this at once: one migrates, the others wait up to a minute.
 *
 * @throws StartupFailure if the database can't be used (see openSession), its history doesn't match this version (a failed,
 *   unknown or changed migration), the migration to `retry` hasn't failed, or the process is `stopped` before it migrates. A
 *   migration that has begun isn't interrupted, because it would count as failed.
 */
export function applyMigrations(url: string, options: MigrationOptions): Promise<MigratedDatabase> {
  const { stopped, onSlowWait, retry } = options;
  const failure = 'The database cannot be migrated';
  return onSession(url, options, failure, async (session, sources, histories) => {
    // Nearly every start ends here, without a lock.
    if (retry === undefined && histories.every(isUpToDate)) return [];
    if (session.pooler !== undefined) throw cannotMigrateThroughPooler(url);
    await reportSlowWait(
      'another process that migrates the database',
      takeMigrationLock(session, stopped),
      onSlowWait,
    );
    await createMissingSchema(session, session.schema);
    if (retry !== undefined) await markRolledBack(session, histories, retry);
    return migrate(session, sources);
  });
}

/**
 * Checks that the database of `url` has exactly this version's migrations, and changes nothing.
 *
 * @throws StartupFailure if it doesn't, if the database can't be used, or if the process is `stopped` in the meantime
 */
export function expectMigrations(
  url: string,
  options: MigrationOptions,
): Promise<MigratedDatabase> {
  const failure = 'The migrations of the database cannot be read';
  return onSession(url, options, failure, (_session, _sources, histories) => {
    histories.forEach(rejectDivergedHistory);
    return [];
  });
}

/**
 * Inspects the database of `url`, whichever version last migrated it, and changes nothing.
 *
 * @throws StartupFailure if no version has migrated the database, if it can't be used, or if the process is `stopped` in the
 *   meantime
 */
export function findMigrated(url: string, options: MigrationOptions): Promise<MigratedDatabase> {
  const failure = 'The migrations of the database cannot be read';
  return onSession(url, options, failure, (_session, _sources, histories) => {
    if (!histories.some(({ exists }) => exists)) throw notMigrated(url);
    return [];
  });
}

async function onSession(
  url: string,
  options: MigrationOptions,
  failure: string,
  /** Receives the histories that were read before any wait for a lock. */
  act: (
    session: MigrationSession,
    sources: readonly ReadSource[],
    histories: readonly History[],
  ) => readonly string[] | Promise<readonly string[]>,
): Promise<MigratedDatabase> {
  const waitFor = <A>(awaited: Promise<A>) =>
    reportSlowWait(`the database at ${addressOf(url)}`, awaited, options.onSlowWait);
  const sources = await readSources(options.sources);
  const session = await waitFor(openSession(url, options));
  try {
    const histories = await waitFor(readHistories(session, sources));
    const applied = await act(session, sources, histories);
    if (session.isSharded) await rejectUncheckedMigration(session);
    const { schema, serverVersion, pooler, isSharded } = session;
    return {
      schema,
      applied,
      serverVersion,
      pooler,
      isSharded,
      hasEarlierNames: await hasEarlierNames(session, sources),
    };
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    throw new StartupFailure(`${failure}: ${databaseReason(error)}.`, { cause: error });
  } finally {
    // Ends the PostgreSQL session, which releases the lock.
    await session.end();
  }
}

async function migrate(
  session: MigrationSession,
  sources: readonly ReadSource[],
): Promise<readonly string[]> {
  // Read again, because another process may have migrated in the meantime. Only under the lock is it certain that an unfinished
  // migration has failed.
  const histories = await readHistories(session, sources);
  const { isSharded } = session;
  histories.forEach((history) => rejectFailedMigration(history, isSharded));
  histories.forEach(rejectForeignMigrations);
  if (!histories.some(({ exists }) => exists)) await rejectNonEmptyDatabase(session);
  const applied: string[] = [];
  try {
    for (const { table, earlier, migrations, recorded } of histories) {
      const isEarlier = earlier !== undefined && (await earlier.areIn(session));
      const inSql = isEarlier ? earlier.inSql : (sql: string) => sql;
      await session.query(historyTable(table));
      const known = new Set(recorded.map(({ name }) => name));
      for (const migration of migrations.filter(({ name }) => !known.has(name))) {
        await applyMigration(session, table, { ...migration, script: inSql(migration.script) });
        applied.push(migration.name);
      }
    }
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    if (!(error instanceof DatabaseError)) connectionLost(error);
    const left = await readHistories(session, sources).catch(connectionLost);
    left.forEach((history) => rejectFailedMigration(history, isSharded));
    throw error;
  }
  // Checks the histories as the next start will read them.
  (await readHistories(session, sources)).forEach(rejectDivergedHistory);
  return applied;
}

function connectionLost(cause: unknown): never {
  throw new StartupFailure(
    'The connection to the database was lost during a migration; start again to finish it, or to see how far it got.',
    { cause },
  );
}

/**
 * Returns a script that creates the tables of an empty database, including the history tables, which it leaves empty. The script
 * isn't wrapped in a transaction, because a migration may commit.
 *
 * @param isEarlier whether the tables get the sources' earlier names
 */
export async function migrationScript(
  sources: readonly MigrationSource[],
  isEarlier: boolean,
): Promise<string> {
  const read = await readSources(sources);
  // The history tables come first, because a migration recognizes an earlier version's database by the history table of a later
  // source.
  const histories = isEarlier ? read.map(({ table }) => historyTable(table)) : [];
  const scripts = read.flatMap(({ table, earlier, migrations }) =>
    [historyTable(table)].concat(
      migrations.map(({ script }) => (isEarlier ? (earlier?.inSql(script) ?? script) : script)),
    ),
  );
  const parts = [...histories, ...scripts];
  // The semicolon is on its own line, because a script may end with a comment.
  return parts.map((part) => `${part}\n;\n`).join('\n');
}
