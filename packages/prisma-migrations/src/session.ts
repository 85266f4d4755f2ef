import { Socket } from 'node:net';
import { Client } from 'pg';
import { StartupFailure } from '@gateway/errors/startup-failure';
import {
  addressOf,
  connectionFailure,
  START_TIMEOUT_MS,
} from '@gateway/postgres/connection-failure';
import { connectionOptions } from '@gateway/postgres/connection-options';
import { stoppedBeforeMigrating } from './refusals.ts';
import { chooseSchema, SEARCH_PATH, type SearchPath } from './search-path.ts';

const OLDEST_VERSION = 14;

/** A connection to a database, and the schema of the application's tables. */
export class Session extends Client {
  schema = 'public';
}

export interface SessionOptions {
  /** Tables that all schemas have that the application was migrated in. */
  readonly tables: readonly string[];
  /** What the server calls the connection, unless the URL says otherwise. */
  readonly applicationName: string;
  readonly stopped?: AbortSignal | undefined;
}

/**
 * Opens a connection to the database of `url`, which is not replaced after an error as in a pool: what the session holds
 * (an advisory lock) is gone with `end()` and not before.
 *
 * @throws StartupFailure when the server can't be reached, does not answer within 30 s, refuses the login or is too old,
 *   when there is no schema to use, and when the process is `stopped` meanwhile
 */
export async function openSession(url: string, options: SessionOptions): Promise<Session> {
  const { applicationName, stopped } = options;
  const socket = new Socket();
  const session = new Session({
    ...connectionOptions(url),
    fallback_application_name: applicationName,
    keepAlive: true,
    // There is no other way to give up a connection that is being made.
    stream: () => socket,
  });
  // A connection lost between two queries is reported by the next one.
  session.on('error', () => undefined);
  try {
    const { version, ...searchPath } = await readServer(session, socket, options);
    if (version < OLDEST_VERSION) {
      throw new StartupFailure(
        `The database at ${addressOf(url)} (DATABASE_URL) is PostgreSQL ${version}; ${OLDEST_VERSION} or newer is needed.`,
      );
    }
    session.schema = chooseSchema(url, searchPath);
    return session;
  } catch (error) {
    socket.destroy();
    if (error instanceof StartupFailure) throw error;
    throw stopped?.aborted === true ? stoppedBeforeMigrating(error) : connectionFailure(url, error);
  }
}

interface Server extends SearchPath {
  readonly version: number;
}

/** Connects, and keeps the session to the first schema of its search_path. */
async function readServer(
  session: Session,
  socket: Socket,
  { tables, stopped }: SessionOptions,
): Promise<Server> {
  const giveUp = () => socket.destroy();
  let isLate = false;
  const timeout = setTimeout(() => {
    isLate = true;
    giveUp();
  }, START_TIMEOUT_MS);
  stopped?.addEventListener('abort', giveUp);
  try {
    stopped?.throwIfAborted();
    await session.connect();
    const { rows } = await session.query<Server>(
      `WITH server AS MATERIALIZED (
         SELECT current_setting('server_version_num')::int / 10000 AS version, ${SEARCH_PATH}
       )
       SELECT *, set_config('search_path', quote_ident(first), false) FROM server`,
      [tables],
    );
    return rows[0] ?? { version: 0, first: null, other: null, forbidden: null };
  } catch (error) {
    throw isLate
      ? new Error(`it did not answer within ${START_TIMEOUT_MS / 1000} s`, { cause: error })
      : error;
  } finally {
    clearTimeout(timeout);
    stopped?.removeEventListener('abort', giveUp);
  }
}
