import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { type Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg';
import { START_TIMEOUT_MS } from '@store-gateway/postgres';

/** A migration, as read from its file. */
export interface Migration {
  /** The name of its folder, which begins with the time of its creation. */
  readonly name: string;
  readonly script: string;
  /**
   * The checksum in Prisma's `_prisma_migrations`: the SHA-256 of the script in hex, after converting the script to the earlier
   * names if the source has any.
   */
  readonly checksum: string;
}

/**
 * Reads all migrations of a folder, oldest first.
 *
 * @param folder in Prisma's layout, `<name>/migration.sql`; ends with a slash
 * @param asRecorded converts a script to the form whose checksum is recorded
 */
export async function readMigrations(
  folder: URL,
  asRecorded = (script: string) => script,
): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const script = await readFile(new URL(`${name}/migration.sql`, folder), 'utf8');
      const checksum = createHash('sha256').update(asRecorded(script)).digest('hex');
      return { name, script, checksum };
    }),
  );
}

/** Migrations that belong together, and the table that they are recorded in. */
export interface MigrationSource {
  /** The folder in Prisma's layout; ends with a slash. */
  readonly folder: URL;
  /** The table that records them, which is `_prisma_migrations` if Prisma should recognize them, too. */
  readonly table: string;
  /** The names of the source's tables in databases from earlier versions, if they differ. */
  readonly earlier?: EarlierNames | undefined;
}

/** The earlier names of tables, which databases from earlier versions keep. */
interface EarlierNames {
  /** Converts SQL to the earlier names. In all databases, checksums are computed from the converted SQL. */
  readonly inSql: (sql: string) => string;
  /**
   * Whether the database has the earlier names. It may have them before any migration of this source, because earlier sources may
   * have created the tables.
   */
  readonly areIn: (session: Client) => Promise<boolean>;
}

/** A row of a history table. Rows that are marked as rolled back are ignored. */
interface RecordedMigration {
  readonly table: string;
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
  /** The error that was recorded when the migration failed. */
  readonly logs: string | null;
}

/** A source whose files were read. */
export interface ReadSource extends Omit<MigrationSource, 'folder'> {
  readonly migrations: readonly Migration[];
}

/** A source's migrations, and those that a database has recorded. */
export interface History extends ReadSource {
  readonly recorded: readonly RecordedMigration[];
  /** Whether the history table exists. */
  readonly exists: boolean;
}

const UNDEFINED_TABLE = '42P01';

/** Reads the migrations of all sources from their folders. */
export function readSources(sources: readonly MigrationSource[]): Promise<ReadSource[]> {
  return Promise.all(
    sources.map(async ({ folder, table, earlier }) => ({
      table,
      earlier,
      migrations: await readMigrations(folder, earlier?.inSql),
    })),
  );
}

/** Whether the database has the earlier names of any source. */
export async function hasEarlierNames(
  session: Client,
  sources: readonly ReadSource[],
): Promise<boolean> {
  for (const { earlier } of sources) {
    if (earlier !== undefined && (await earlier.areIn(session))) return true;
  }
  return false;
}

/** Reads the migrations that a database has recorded, for each source. */
export async function readHistories(
  session: Client,
  sources: readonly ReadSource[],
): Promise<readonly History[]> {
  const tables = sources.map(({ table }) => table);
  // All tables usually exist, so a start needs only one query.
  const all = await readTables(session, tables);
  const histories: History[] = [];
  for (const source of sources) {
    const { table } = source;
    const rows = all ?? (await readTables(session, [table]));
    const recorded = (rows ?? []).filter((row) => row.table === table);
    histories.push({ ...source, recorded, exists: rows !== undefined });
  }
  return histories;
}

/** Reads the rows of several tables; undefined if one of them doesn't exist. */
async function readTables(
  session: Client,
  tables: readonly string[],
): Promise<readonly RecordedMigration[] | undefined> {
  const selects = tables.map(
    (table) =>
      `SELECT ${escapeLiteral(table)} AS "table", migration_name AS name, checksum,
         finished_at IS NOT NULL AS finished, logs
       FROM ${escapeIdentifier(table)} WHERE rolled_back_at IS NULL`,
  );
  const query = { text: selects.join(' UNION ALL '), query_timeout: START_TIMEOUT_MS };
  try {
    return (await session.query<RecordedMigration>(query)).rows;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return undefined;
    throw error;
  }
}

/** Whether the database has exactly these migrations, all of them finished and unchanged since. */
export function isUpToDate({ migrations, recorded }: History): boolean {
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  return (
    recorded.length === migrations.length &&
    recorded.every(({ name, checksum, finished }) => finished && checksums.get(name) === checksum)
  );
}
