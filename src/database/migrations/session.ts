import { Socket } from 'node:net';
import { Pool, type QueryResult, type QueryResultRow } from 'pg';
import { StartupFailure } from '../../startup-failure.ts';
import { applicationName } from '../application-name.ts';
import { addressOf, connectionFailure, START_TIMEOUT_MS } from '../connection-failure.ts';
import { stoppedBeforeMigrating } from './refusals.ts';

const OLDEST_VERSION = 14;

/**
 * Opens one connection to the database of `url` and checks that the service can work with its server.
 * It comes as a pool of one, because that is what Prisma's adapter takes: every query runs in the
 * same PostgreSQL session, and what the session holds (an advisory lock) is gone with `end()`.
 *
 * Throws a StartupFailure that names the host, never the password, when the server can't be reached or does not
 * answer within 30 s, refuses the login, has no such database or is older than PostgreSQL 14; and when the
 * process is `stopped` meanwhile.
 */
export async function openSession(url: string, stopped?: AbortSignal): Promise<Pool> {
  let socket: Socket | undefined;
  const session = new Pool({
    connectionString: url,
    fallback_application_name: applicationName('migrate'),
    max: 1,
    idleTimeoutMillis: 0,
    // There is no other way to give up a connection that is being made.
    stream: () => (socket = new Socket()),
  });
  // Without a listener a connection lost between two queries would end the process; the next query
  // reports it well enough.
  session.on('error', () => undefined);

  const version = await untilGivenUp(
    () => serverVersion(session),
    () => socket?.destroy(),
    stopped,
  ).catch(async (error: unknown) => {
    await session.end();
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
  session: Pool,
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

async function serverVersion(session: Pool): Promise<number> {
  const { rows } = await session.query<{ number: number }>(
    "SELECT current_setting('server_version_num')::int AS number",
  );
  return Math.floor((rows[0]?.number ?? 0) / 10_000);
}
