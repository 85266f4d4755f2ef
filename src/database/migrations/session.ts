import { Socket } from 'node:net';
import { Client, type QueryResult, type QueryResultRow } from 'pg';
import { StartupFailure } from '../../startup-failure.ts';
import { addressOf, connectionFailure, START_TIMEOUT_MS } from '../connection-failure.ts';
import { stoppedBeforeMigrating } from './refusals.ts';

const OLDEST_VERSION = 14;

/**
 * Opens one connection to the database of `url` and checks that the service can work with its server.
 * It is no pool, which would replace a connection after an error: every query runs in the same PostgreSQL session, also
 * after one has failed, and what the session holds (an advisory lock) is gone with `end()` and not before.
 *
 * Throws a StartupFailure that names the host, never the password, when the server can't be reached or does not
 * answer within 30 s, refuses the login, has no such database or is older than PostgreSQL 14; and when the
 * process is `stopped` meanwhile.
 */
export async function openSession(url: string, stopped?: AbortSignal): Promise<Client> {
  let socket: Socket | undefined;
  const session = new Client({
    connectionString: url,
    keepAlive: true,
    // There is no other way to give up a connection that is being made.
    stream: () => (socket = new Socket()),
  });
  // Without a listener a connection lost between two queries would end the process; the next query
  // reports it well enough.
  session.on('error', () => undefined);

  const giveUp = () => socket?.destroy();
  const version = await untilGivenUp(
    async () => {
      await session.connect();
      return serverVersion(session);
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

async function serverVersion(session: Client): Promise<number> {
  const { rows } = await session.query<{ number: number }>(
    "SELECT current_setting('server_version_num')::int AS number",
  );
  return Math.floor((rows[0]?.number ?? 0) / 10_000);
}
