import type { Model } from './model.ts';
import { literal, quoted } from './sql.ts';
import type { RunStatement } from './statement.ts';

/** What only the database knows of the order in which it reads a table. */
export interface DatabaseOrder {
  /** Whether it reads an index in order, too, where a column other than the first is compared with an array. */
  readonly keepsOrder: boolean;
  /** The columns whose texts are ordered by their bytes, so that those with one prefix follow each other. */
  readonly bytewise: ReadonlySet<string>;
}

/** PostgreSQL 17. Those before compare such a column only in rows that they have read. */
const KEEPS_ORDER = 170_000;

/** What the database orders by, which it is asked once, and again only if that fails. */
export function databaseOrderOf(model: Model, read: RunStatement): () => Promise<DatabaseOrder> {
  const statement = { name: `${model.name}.findOrder`, text: textOf(model) };
  const ask = async (): Promise<DatabaseOrder> => {
    const [[version] = [], ...columns] = await read(statement, []);
    return {
      keepsOrder: Number(version) >= KEEPS_ORDER,
      bytewise: new Set(columns.map(([column]) => column ?? '')),
    };
  };
  let asked: Promise<DatabaseOrder> | undefined;
  return () => {
    asked ??= ask().catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
}

/** As JSON, catalogs have no columns that a version of PostgreSQL hasn't. The default collation is the database's. */
function textOf({ table }: Model): string {
  return `
    SELECT current_setting('server_version_num')
    UNION ALL
    SELECT attname::text
    FROM pg_attribute
    JOIN (SELECT oid, to_jsonb(pg_collation) AS own FROM pg_collation) AS collations
      ON collations.oid = attcollation
    CROSS JOIN (
      SELECT to_jsonb(pg_database) AS own FROM pg_database WHERE datname = current_database()
    ) AS databases
    WHERE attrelid = ${literal(quoted(table))}::regclass AND getdatabaseencoding() = 'UTF8'
      AND lower(replace(CASE
        WHEN collations.own ->> 'collprovider' = 'd' THEN CASE databases.own ->> 'datlocprovider'
          WHEN 'i' THEN '' WHEN 'b' THEN databases.own ->> 'datlocale'
          ELSE databases.own ->> 'datcollate' END
        WHEN collations.own ->> 'collprovider' = 'c' THEN collations.own ->> 'collcollate'
        WHEN collations.own ->> 'collprovider' = 'b' THEN collations.own ->> 'colllocale'
      END, '-', '')) IN ('c', 'posix', 'c.utf8', 'pg_unicode_fast')`;
}
