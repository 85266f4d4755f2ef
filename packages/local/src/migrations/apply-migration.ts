import { randomUUID } from 'node:crypto';
import { type Client, DatabaseError, escapeIdentifier } from 'pg';
import type { Migration } from './files.ts';
import type { History } from './history.ts';
import { hasNotFailed } from './refusals.ts';
import { runScript } from './run-script.ts';
import type { MigrationSession } from './session.ts';

/** The statement that creates the table of a history, as Prisma's schema engine does. */
export function historyTable(table: string): string {
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
 * Applies a migration and records it: all of its script or nothing, unless that is a single DO block, which may commit in
 * between.
 *
 * @throws DatabaseError if the script fails, after that has been recorded
 */
export async function applyMigration(
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
      // A script that has begun a transaction of its own leaves it open.
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
 * Marks a failed migration as rolled back, as `prisma migrate resolve` does: it counts for nothing then. Only under the
 * migration lock.
 *
 * @throws StartupFailure if no such migration has failed
 */
export async function markRolledBack(
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
