import { Socket } from 'node:net';
import { Client, type QueryResult, type QueryResultRow } from 'pg';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { applicationName } from '@gateway/postgres/application-name';
import {
  addressOf,
  connectionFailure,
  START_TIMEOUT_MS,
} from '@gateway/postgres/connection-failure';
import { connectionOptions } from '@gateway/postgres/connection-options';
import { SEARCH_PATH, storeSchema, type SearchPath } from './schema-of-tables.ts';
import { stoppedBeforeMigrating } from './refusals.ts';

const OLDEST_VERSION = 14;

/** A connection to a database, and which of its schemas has the store. */
export class Session extends Client {
  schema = 'public';
}

/**
 * Opens one connection to the database of `url` and checks that the service can work with its server.
 * It is no pool, which would replace a connection after an error: every query runs in the same PostgreSQL session, also
 * after one has failed, and what the session holds (an advisory lock) is gone with `end()` and not before.
 *
 * Throws a StartupFailure that names the host, never the password, when the server can't be reached or does not
 * answer within 30 s, refuses the login, has no such database, no schema for the store or is older than PostgreSQL 14;
 * and when the process is `stopped` meanwhile.
 */
export async function openSession(url: string, stopped?: AbortSignal): Promise<Session> {
  let socket: Socket | undefined;
  const session = new Session({
    ...connectionOptions(url),
    fallback_application_name: applicationName('migrate'),
    keepAlive: true,
    // There is no other way to give up a connection that is being made.
    stream: () => (socket = new Socket()),
  });
  // Without a listener a connection lost between two queries would end the process; the next query
  // reports it well enough.
  session.on('error', () => undefined);

  const giveUp = () => socket?.destroy();
  const { version, ...searchPath } = await untilGivenUp(
    async () => {
      await session.connect();
      return readServer(session);
    },
    giveUp,
    stopped,
  ).catch((error: unknown) => {
    giveUp();
    throw stopped?.aborted === true ? stoppedBeforeMigrating(error) : connectionFailure(url, error);
  });
  if (version < OLDEST_VERSION) {
    await session.end();
    throw new StartupFailure(
      `The database at ${addressOf(url)} (DATABASE_URL) is PostgreSQL ${version}; ${OLDEST_VERSION} or newer is needed.`,
    );
  }
  try {
    session.schema = storeSchema(url, searchPath);
  } catch (error) {
    await session.end();
    throw error;
  }
  return session;
}

/**
 * Reads a little. Not every query of a session has so little time: what migrates may take long, and wait for
 * whoever uses a table.
 */
export function readInTime<Row extends QueryResultRow>(
  session: Client,
  text: string,
): Promise<QueryResult<Row>> {
  const query = { text, query_timeout: START_TIMEOUT_MS };
  return session.query<Row>(query);
}

/** Does something that `giveUp` ends early: when the process is `stopped`, or it takes too long. */
async function untilGivenUp<T>(
  act: () => Promise<T>,
  giveUp: () => void,
  stopped?: AbortSignal,
): Promise<T> {
  let isLate = false;
  const timeout = setTimeout(() => {
    isLate = true;
    giveUp();
  }, START_TIMEOUT_MS);
  stopped?.addEventListener('abort', giveUp);
  try {
    stopped?.throwIfAborted();
    return await act();
  } catch (error) {
    throw isLate
      ? new Error(`it did not answer within ${START_TIMEOUT_MS / 1000} s`, { cause: error })
      : error;
  } finally {
    clearTimeout(timeout);
    stopped?.removeEventListener('abort', giveUp);
  }
}

interface Server extends SearchPath {
  readonly version: number;
}

/** Reads what there is to know of the server, and keeps the session to the first schema of its search_path. */
async function readServer(session: Session): Promise<Server> {
  const { rows } = await session.query<Server>(`
    WITH server AS MATERIALIZED (
      SELECT current_setting('server_version_num')::int / 10000 AS version, ${SEARCH_PATH}
    )
    SELECT *, set_config('search_path', quote_ident(first), false) FROM server`);
  return rows[0] ?? { version: 0, first: null, other: null, forbidden: null };
}
