import { Client, Pool, type QueryResult, type QueryResultRow } from 'pg';
import { StartupFailure } from '../../startup-failure.ts';

const oldestVersion = 14;
/** Milliseconds for a server to answer. */
const patience = 5000;

/**
 * Opens one connection to the database of `url` and checks that the service can work with its server.
 * It comes as a pool of one, because that is what Prisma's adapter takes: every query runs in the
 * same PostgreSQL session, and what the session holds (an advisory lock) is gone with `end()`.
 *
 * Throws a StartupFailure that names the host, never the password, when the server can't be reached
 * within 5 s or is frozen, refuses the login, has no such database or is older than PostgreSQL 14.
 */
export async function openSession(url: string): Promise<Pool> {
  const session = new Pool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: patience,
  });
  // Without a listener a connection lost between two queries would end the process; the next query
  // reports it well enough.
  session.on('error', () => undefined);

  const version = await serverVersion(session).catch(async (error: unknown) => {
    await session.end();
    throw connectionFailure(url, error);
  });
  if (version < oldestVersion) {
    await session.end();
    throw new StartupFailure(
      `The database at ${addressOf(url)} (DATABASE_URL) is PostgreSQL ${version}; ${oldestVersion} or newer is needed.`,
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
  const query = { text, query_timeout: patience };
  return session.query<Row>(query);
}

async function serverVersion(session: Pool): Promise<number> {
  const { rows } = await readInTime<{ number: number }>(
    session,
    "SELECT current_setting('server_version_num')::int AS number",
  );
  return Math.floor((rows[0]?.number ?? 0) / 10_000);
}

function connectionFailure(url: string, error: unknown): StartupFailure {
  return new StartupFailure(
    `The database at ${addressOf(url)} (DATABASE_URL) cannot be used: ${reasonOf(error)}.`,
    { cause: error },
  );
}

function addressOf(url: string): string {
  const { host, port } = new Client(url);
  return host.startsWith('/') ? host : `${host}:${port}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A host name with several addresses fails with an AggregateError, whose message is empty.
  if (error.message === '' && 'code' in error) return String(error.code);
  return error.message;
}
