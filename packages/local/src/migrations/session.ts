import type { Client } from 'pg';
import { StartupFailure } from '@store-gateway/ops';
import {
  addressOf,
  connectionFailure,
  type Pooler,
  expectSessionSettings,
  openStartSession,
} from '@store-gateway/postgres';
import { stoppedBeforeMigrating } from './refusals.ts';
import { chooseSchema, SEARCH_PATH, type SearchPath } from './search-path.ts';

const OLDEST_VERSION = 14;

/** A connection to a database, and the schema of the application's tables. */
export interface MigrationSession extends Client {
  readonly schema: string;
  /** Of the server, as it writes it. */
  readonly serverVersion: string;
  /** A pooler between, which may hand each transaction to another session. */
  readonly pooler: Pooler | undefined;
  /** Whether tables may be distributed over several servers by Citus. */
  readonly isSharded: boolean;
}

/** How the session is named, stopped, and finds its schema. */
export interface SessionOptions {
  /** Tables that all schemas have that the application was migrated in. */
  readonly tables: readonly string[];
  /** What the server calls the connection, unless the URL says otherwise. */
  readonly applicationName: string;
  readonly stopped?: AbortSignal | undefined;
  /** The environment variable that has the URL, by default DATABASE_URL. */
  readonly variable?: string | undefined;
}

/**
 * Opens a connection to the database of `url`, which is not replaced after an error as in a pool: what the session holds
 * (an advisory lock) is gone with `end()` and not before.
 *
 * @throws StartupFailure when the server can't be reached, does not answer within 30 s, refuses the login or is too old,
 *   when there is no schema to use, and when the process is `stopped` meanwhile
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
          isSharded: hasCitus && (await hasNodes(session)),
        });
      },
      stopped,
    });
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    throw stopped?.aborted === true
      ? stoppedBeforeMigrating(error)
      : connectionFailure(url, error, variable);
  }
}

interface Server extends SearchPath {
  readonly version: number;
  readonly serverVersion: string;
  readonly hasCitus: boolean;
}

/** Keeps the session to the first schema of its search_path; one of a pooler is not ours to change. */
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

async function hasNodes(session: Client): Promise<boolean> {
  const { rowCount } = await session.query('SELECT FROM pg_catalog.pg_dist_node LIMIT 1');
  return rowCount === 1;
}
