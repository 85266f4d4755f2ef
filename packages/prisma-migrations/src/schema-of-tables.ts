import { escapeIdentifier } from 'pg';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { addressOf } from '@gateway/postgres/connection-failure';
import { schemaOf } from '@gateway/postgres/database-url';
import type { Session } from './session.ts';

/** The schemas of a session's search_path that the role may use. */
export interface SearchPath {
  /** The first of them; null if there is none. */
  readonly first: string | null;
  /** One behind it with a store that the role may read, if there is any. */
  readonly other: string | null;
  /** Those of the database that the role may not use; null if there is a first. */
  readonly forbidden: readonly string[] | null;
}

/** Columns of a SELECT for a SearchPath. */
export const SEARCH_PATH = `
  current_schema() AS first, (
    SELECT name FROM unnest(current_schemas(false)) AS name
    WHERE name <> current_schema()
      AND has_table_privilege(to_regclass(format('%I.api_keys', name)), 'SELECT')
      AND has_table_privilege(to_regclass(format('%I.pets', name)), 'SELECT')
    LIMIT 1
  ) AS other,
  CASE WHEN current_schema() IS NULL THEN ARRAY(
    SELECT nspname::text FROM pg_namespace WHERE NOT has_schema_privilege(oid, 'USAGE')
  ) END AS forbidden`;

/**
 * The schema that has the store, or is to have it: the one that the URL names, else the first of search_path. All of a
 * process's statements go by it, its own and Prisma's, whatever becomes of search_path.
 *
 * @throws StartupFailure if there is none, or it may be another one
 */
export function storeSchema(url: string, { first, other, forbidden }: SearchPath): string {
  const named = schemaOf(url);
  if (named !== undefined) {
    if (first !== null && first !== named) {
      throw refusal(
        url,
        `a pooler in front of it keeps search_path, so that the schema is ${JSON.stringify(first)} and not ${JSON.stringify(named)}`,
      );
    }
    if (forbidden?.includes(named) === true) {
      throw refusal(url, `its role may not use the schema ${JSON.stringify(named)}`);
    }
    return named;
  }
  if (first === null) {
    throw refusal(url, 'search_path has no schema that exists and that the role may use');
  }
  if (other !== null) {
    throw refusal(
      url,
      `search_path begins with the schema ${JSON.stringify(first)}, and there is a store in ${JSON.stringify(other)}; add schema=… to the URL to say which is meant`,
    );
  }
  return first;
}

/** Makes the schema of a session, if there is none: as Prisma's own commands do. */
export async function makeSchema(session: Session): Promise<void> {
  const { rows } = await session.query<{ missing: boolean }>(
    'SELECT current_schema() IS NULL AS missing',
  );
  if (rows[0]?.missing === true) {
    await session.query(`CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(session.schema)}`);
  }
}

function refusal(url: string, reason: string): StartupFailure {
  return new StartupFailure(
    `The database at ${addressOf(url)} (DATABASE_URL) cannot be used: ${reason}.`,
  );
}
