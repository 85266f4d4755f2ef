import type { Pool } from 'pg';
import { runStatement } from './statement.ts';

/** The columns of the constraints and unique indexes among some names. */
const STATEMENT = {
  name: 'constrainedColumns',
  text: `
    SELECT a.attname FROM pg_constraint c
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
      WHERE c.conname = ANY ($1) AND pg_table_is_visible(c.conrelid)
    UNION
    SELECT a.attname FROM pg_class i
      JOIN pg_index x ON x.indexrelid = i.oid
      JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
      WHERE i.relname = ANY ($1) AND pg_table_is_visible(i.oid)`,
};

/** @returns names of columns */
export async function constrainedColumns(pool: Pool, names: readonly string[]): Promise<string[]> {
  const rows = await runStatement(pool, STATEMENT, [names]);
  return rows.flatMap(([column]) => column ?? []);
}
