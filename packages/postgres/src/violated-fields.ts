import type { Pool } from 'pg';
import { type Models, holds, limitedColumns, type Violation } from './violation.ts';
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

/** What a violation is about. */
export interface ViolatedFields {
  /** The fields of models and the names of their columns, as far as they are known. */
  readonly fields: readonly string[];
  /** Of a reference: the models whose rows hold it, as far as they are known. */
  readonly holders?: readonly string[];
  /** Whether a value of such a field is at fault, where that depends on the value. */
  readonly isAtFault?: (field: string, value: unknown) => boolean;
}

/** The columns of the constraints and unique indexes among some names; of foreign keys, with their table. */
const CONSTRAINED_COLUMNS = {
  name: 'constrainedColumns',
  text: `
    SELECT a.attname, CASE WHEN c.contype = 'f' THEN t.relname END FROM pg_constraint c
      JOIN pg_class t ON t.oid = c.conrelid
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
      WHERE c.conname = ANY ($1) AND pg_table_is_visible(c.conrelid)
    UNION
    SELECT a.attname, NULL FROM pg_class i
      JOIN pg_index x ON x.indexrelid = i.oid
      JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
      WHERE i.relname = ANY ($1) AND pg_table_is_visible(i.oid)`,
};

/** Finds the fields that violations are about, by the database's catalog. */
export function createViolatedFields(
  pool: Pool,
  models: Models,
): (violation: Violation) => Promise<ViolatedFields> {
  const columns = Object.values(models).flatMap((model) => model.columns);
  /** The fields that `@map` gives another name. */
  const fieldsOfColumns = Map.groupBy(columns, ({ column }) => column);
  const namesOf = (column: string): string[] => [
    column,
    ...(fieldsOfColumns.get(column) ?? []).map(({ field }) => field),
  ];

  return async ({ kind, names, message = '', connection, fields: known }) => {
    if (known !== undefined) {
      return { fields: known };
    }
    if (connection !== undefined) {
      const relations = models[connection.model]?.relations ?? [];
      const connected = relations.filter(({ name }) => name === connection.relation);
      return { fields: connected.flatMap(({ field, foreignKey }) => [field, foreignKey]) };
    }
    if (kind === 'range') {
      const limited = await limitedColumns(pool, message);
      const ofName = limited.flatMap((each) =>
        namesOf(each.column).map((name) => ({ name, each })),
      );
      return {
        fields: ofName.map(({ name }) => name),
        isAtFault: (field, value) =>
          ofName.some(({ name, each }) => name === field && !holds(each, value)),
      };
    }
    if (kind === 'null' || names.length === 0) {
      return { fields: names.flatMap(namesOf) };
    }
    const rows = await runStatement(pool, CONSTRAINED_COLUMNS, [names]);
    const fields = rows.flatMap(([column]) => namesOf(column ?? ''));
    const tables = new Set(rows.flatMap(([, table]) => table ?? []));
    const holders = Object.entries(models).filter(([, { table }]) => tables.has(table));
    return { fields, ...(holders.length > 0 && { holders: holders.map(([name]) => name) }) };
  };
}
