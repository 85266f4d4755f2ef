import type { Pool } from 'pg';
import type { Models } from './named-columns.ts';
import { runStatement } from './statement.ts';

/** The foreign keys that a column is part of. */
const REFERENCES = {
  name: 'foreignKeys',
  text: `
    SELECT c.conname FROM pg_constraint c
      JOIN pg_class t ON t.oid = c.conrelid
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
      WHERE c.contype = 'f' AND t.relname = $1 AND a.attname = $2 AND pg_table_is_visible(t.oid)`,
};

/** Finds the names of the foreign keys of a model's field, by the database's catalog. */
export function createReferenceNames(
  pool: Pool,
  models: Models,
): (model: string, field: string) => Promise<readonly string[]> {
  return async (name, field) => {
    const model = models[name];
    const column = model?.columns.find((each) => each.field === field);
    if (model === undefined || column === undefined) {
      return [];
    }
    const rows = await runStatement(pool, REFERENCES, [model.table, column.column]);
    return rows.flatMap(([constraint]) => constraint ?? []);
  };
}
