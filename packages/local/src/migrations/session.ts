import { type Client, DatabaseError, escapeIdentifier } from 'pg';
import { StartupFailure } from '@store-gateway/ops';
import {
  START_TIMEOUT_MS,
  connectionFailure,
  addressOf,
  type Pooler,
  expectSessionSettings,
  openStartSession,
} from '@store-gateway/postgres';
import { migrationNotStarted } from './refusals.ts';
import { schemaOf } from '@store-gateway/postgres/database-url';

// Prisma's schema engine uses the same key, so `prisma migrate deploy` and this process wait for each other. The engine acquires
// the lock again itself, which succeeds immediately in the same session.
const LOCK_KEY = 72_707_369;
const LOCK_TIMEOUT_SECONDS = 60;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Acquires the migration lock, which the session holds until it ends. Waits up to a minute while another process migrates this
 * database. The session that migrates also holds the lock, so neither can be lost without the other.
 *
 * @param stopped aborts the wait
 * @throws StartupFailure
 */
export async function takeMigrationLock(session: Client, stopped?: AbortSignal): Promise<void> {
  // Ending the session is the only way to abort a waiting statement.
  const cut = () => void session.end();
  const waiting = {
    // The limit applies only to this wait, because a migration's statements may wait longer for their locks.
    text: `SET lock_timeout = '${LOCK_TIMEOUT_SECONDS}s'; SELECT pg_advisory_lock(${LOCK_KEY}); RESET lock_timeout`,
    // The client's own timeout covers a server that is frozen or unreachable.
    query_timeout: LOCK_TIMEOUT_SECONDS * 1000 + START_TIMEOUT_MS,
  };
  try {
    stopped?.throwIfAborted();
    stopped?.addEventListener('abort', cut);
    await session.query(waiting);
    stopped?.throwIfAborted();
  } catch (error) {
    if (stopped?.aborted === true) {
      throw migrationNotStarted(error);
    }
    if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    throw new StartupFailure(
      `Another process has been migrating this database for more than ${LOCK_TIMEOUT_SECONDS} s; start again when it is done.`,
      { cause: error },
    );
  } finally {
    stopped?.removeEventListener('abort', cut);
  }
}

/** The schemas of a session's search_path that its role may use. */
interface SearchPath {
  /** The first schema; null if there is none. */
  readonly first: string | null;
  /** A later schema that contains the application's tables, and that the role may read. */
  readonly other: string | null;
  /** Schemas of the database that the role may not use; null unless `first` is null. */
  readonly forbidden: readonly string[] | null;
}

/** Columns of a SELECT for a SearchPath. $1 contains the application's tables. */
const SEARCH_PATH = `
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
 * Returns the schema of the application's tables: the one in the URL, otherwise the first of search_path. All statements of a
 * process use that schema, even if search_path changes.
 *
 * @throws StartupFailure if there is no such schema, or the choice is ambiguous
 */
function chooseSchema(url: string, { first, other, forbidden }: SearchPath): string {
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

const OLDEST_VERSION = 14;

/** A connection to a database, and the schema of the application's tables. */
export interface MigrationSession extends Client {
  readonly schema: string;
  /** The server's version, as the server formats it. */
  readonly serverVersion: string;
  /** The pooler in front of the server, which may assign each transaction to a different session. */
  readonly pooler: Pooler | undefined;
  /** Whether tables may be distributed over several servers by Citus. */
  readonly isSharded: boolean;
}

/** How a session is named and aborted, and how its schema is found. */
export interface SessionOptions {
  /** Tables that exist in every schema to which the application's migrations were applied. */
  readonly tables: readonly string[];
  /** The connection's application_name, unless the URL has one. */
  readonly applicationName: string;
  readonly stopped?: AbortSignal | undefined;
  /** The environment variable that contains the URL. Defaults to DATABASE_URL. */
  readonly variable?: string | undefined;
}

/**
 * Opens a connection to the database of `url`. Unlike a pool's connection, it isn't replaced after an error, so the session's
 * advisory lock is held until `end()`.
 *
 * @throws StartupFailure when the server can't be reached, doesn't respond within 30 s, rejects the login or is too old, when
 *   there is no schema to use, and when the process is `stopped` in the meantime
 */
export async function openSession(url: string, options: SessionOptions): Promise<MigrationSession> {
  const { applicationName, stopped, tables, variable } = options;
  try {
    return await openStartSession(url, {
      applicationName,
      prepare: async (session, pooler) => {
        const { version, serverVersion, hasCitus, ...searchPath } = await readServer(
          session,
          tables,
          pooler,
        );
        if (version < OLDEST_VERSION) {
          throw new StartupFailure(
            `The database at ${addressOf(url)} (${variable ?? 'DATABASE_URL'}) is PostgreSQL ${version}; ${OLDEST_VERSION} or newer is needed.`,
          );
        }
        if (pooler !== undefined) {
          await expectSessionSettings(session);
        }
        return Object.assign(session, {
          schema: chooseSchema(url, searchPath),
          serverVersion,
          pooler,
          isSharded: hasCitus && (await hasNodes(session, url, variable)),
        });
      },
      stopped,
    });
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    throw stopped?.aborted === true
      ? migrationNotStarted(error)
      : connectionFailure(url, error, variable);
  }
}

interface Server extends SearchPath {
  readonly version: number;
  readonly serverVersion: string;
  readonly hasCitus: boolean;
}

/**
 * Reads the server's properties, and restricts the session to the first schema of its search_path, unless a pooler shares the
 * session.
 */
async function readServer(
  session: Client,
  tables: readonly string[],
  pooler: Pooler | undefined,
): Promise<Server> {
  const { rows } = await session.query<Server>(
    `WITH server AS MATERIALIZED (
       SELECT current_setting('server_version_num')::int / 10000 AS version,
         current_setting('server_version') AS "serverVersion",
         to_regclass('pg_catalog.pg_dist_node') IS NOT NULL AS "hasCitus", ${SEARCH_PATH}
     )
     SELECT *, CASE WHEN $2 THEN set_config('search_path', quote_ident(first), false) END
     FROM server`,
    [tables, pooler === undefined],
  );
  return (
    rows[0] ?? {
      version: 0,
      serverVersion: '',
      hasCitus: false,
      first: null,
      other: null,
      forbidden: null,
    }
  );
}

/** Whether the server is a Citus coordinator. @throws StartupFailure if it is a worker */
async function hasNodes(session: Client, url: string, variable?: string): Promise<boolean> {
  const { rows } = await session.query<{ isWorker: boolean }>(
    `SELECT groupid <> 0 AS "isWorker" FROM pg_catalog.pg_dist_local_group
     WHERE EXISTS (SELECT FROM pg_catalog.pg_dist_node)`,
  );
  if (rows[0]?.isWorker === true) {
    throw connectionFailure(url, 'it is a Citus worker; connect to the coordinator', variable);
  }
  return rows.length > 0;
}
