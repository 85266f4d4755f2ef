import { type Client, DatabaseError } from 'pg';
import type { Migration } from './files.ts';
import { readInTime } from './session.ts';

/** A row of `_prisma_migrations`, unless it was marked as rolled back: such rows count for nothing. */
export interface RecordedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
  /** What Prisma noted when the migration failed. */
  readonly logs: string | null;
}

const undefinedTable = '42P01';

/** What Prisma has recorded in this database; nothing when it has never migrated it. */
export async function readHistory(session: Client): Promise<RecordedMigration[]> {
  try {
    const { rows } = await readInTime<RecordedMigration>(
      session,
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, logs
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
    );
    return rows;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === undefinedTable) return [];
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
