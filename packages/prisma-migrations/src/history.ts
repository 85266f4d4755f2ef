import { type Client, DatabaseError } from 'pg';
import { START_TIMEOUT_MS } from '@gateway/postgres/connection-failure';
import type { Migration } from './files.ts';

/** A row of `_prisma_migrations`, unless it was marked as rolled back: such rows count for nothing. */
export interface RecordedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
  /** What Prisma noted when the migration failed. */
  readonly logs: string | null;
}

const UNDEFINED_TABLE = '42P01';

/** What Prisma has recorded in this database; nothing if it has never migrated it. */
export async function readHistory(session: Client): Promise<RecordedMigration[]> {
  const query = {
    text: `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, logs
           FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
    query_timeout: START_TIMEOUT_MS,
  };
  try {
    return (await session.query<RecordedMigration>(query)).rows;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

/** Whether the database has exactly these migrations, all of them finished and unchanged since. */
export function isUpToDate(
  history: readonly RecordedMigration[],
  migrations: readonly Migration[],
): boolean {
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  return (
    history.length === migrations.length &&
    history.every(({ name, checksum, finished }) => finished && checksums.get(name) === checksum)
  );
}
