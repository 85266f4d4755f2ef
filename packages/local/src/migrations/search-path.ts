import { type Client, escapeIdentifier } from 'pg';
import { schemaOf } from '@store-gateway/postgres/database-url';
import { connectionFailure } from '@store-gateway/postgres';

/** The schemas of a session's search_path that its role may use. */
export interface SearchPath {
  /** Null if there is none. */
  readonly first: string | null;
  /** A later schema that has the application's tables and that the role may read. */
  readonly other: string | null;
  /** Schemas of the database that the role may not use; null if there is a first. */
  readonly forbidden: readonly string[] | null;
}

/** Columns of a SELECT for a SearchPath; $1 has the application's tables. */
export const SEARCH_PATH = `
  current_schema() AS first, (
    SELECT name FROM unnest(current_schemas(false)) AS name
    WHERE name <> current_schema() AND (
      SELECT bool_and(has_table_privilege(to_regclass(format('%I.%I', name, "table")), 'SELECT') IS TRUE)
      FROM unnest($1::text[]) AS "table"
    )
    LIMIT 1
  ) AS other,
  CASE WHEN current_schema() IS NULL THEN ARRAY(
    SELECT nspname::text FROM pg_namespace WHERE NOT has_schema_privilege(oid, 'USAGE')
  ) END AS forbidden`;

/**
 * The schema of the application's tables: the one that the URL names, else the first of search_path. All statements of a
 * process go by it, whatever becomes of search_path.
 *
 * @throws StartupFailure if there is none, or it is ambiguous
 */
export function chooseSchema(url: string, { first, other, forbidden }: SearchPath): string {
  const named = schemaOf(url);
  if (named !== undefined) {
    if (first !== null && first !== named) {
      throw connectionFailure(
        url,
        `a pooler in front of it keeps its own search_path: the schema is ${JSON.stringify(first)}, not ${JSON.stringify(named)}`,
      );
    }
    if (forbidden?.includes(named) === true) {
      throw connectionFailure(url, `its role may not use the schema ${JSON.stringify(named)}`);
    }
    return named;
  }
  if (first === null) {
    throw connectionFailure(url, 'search_path has no schema that exists and that the role may use');
  }
  if (other !== null) {
    throw connectionFailure(
      url,
      `search_path begins with the schema ${JSON.stringify(first)}, and there is a store in ${JSON.stringify(other)}; add schema=… to the URL to choose one`,
    );
  }
  return first;
}

/** Creates the schema if search_path has none, as Prisma's own commands do. */
export async function createMissingSchema(session: Client, schema: string): Promise<void> {
  const { rows } = await session.query<{ missing: boolean }>(
    'SELECT current_schema() IS NULL AS missing',
  );
  if (rows[0]?.missing === true) {
    await session.query(`CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(schema)}`);
  }
}
