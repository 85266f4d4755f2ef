import { Socket } from 'node:net';
import { Client, type ClientConfig, DatabaseError } from 'pg';
import { StartupFailure } from '@store-gateway/ops';
import { reasonOf, START_TIMEOUT_MS } from './connection-failure.ts';
import { connectionOptions, warnOfPlaintext } from './connection-options.ts';
import { findPooler, type Pooler } from './pooler.ts';
import { mayBeAnothers, serverOrder, UnsuitableServerError } from './servers-in-turn.ts';

/** The next one may answer at once. */
const ONE_OF_SEVERAL_TIMEOUT_MS = 5000;

/** How a session is opened and prepared. */
interface StartSessionOptions<Session> {
  /** The connection's name on the server, unless the URL has another. */
  readonly applicationName: string;
  /** Prepares the session, within the same time. */
  readonly prepare: (session: Client, pooler: Pooler | undefined) => Promise<Session>;
  /** Gives up. */
  readonly stopped?: AbortSignal | undefined;
}

/**
 * Opens a session with the timeout of a start, on the first server of `url` that takes it.
 *
 * @throws what it was refused with, or that there was no answer; where there are several servers, by each of them
 */
export async function openStartSession<Session>(
  url: string,
  options: StartSessionOptions<Session>,
): Promise<Session> {
  const servers = connectionOptions(url);
  const timeout = servers.length === 1 ? START_TIMEOUT_MS : ONE_OF_SEVERAL_TIMEOUT_MS;
  const order = serverOrder(servers);
  const failures: unknown[] = [];
  for (const index of order.indexes()) {
    try {
      const session = await openOn(servers[index], timeout, options).catch((error: unknown) => {
        if (!mayRefuseSettings(error)) throw error;
        return openOn(connectionOptions(url, 'none')[index], timeout, options);
      });
      order.connected(index);
      return session;
    } catch (error) {
      // The server was reached, and isn't fit for use.
      if (error instanceof StartupFailure) throw error;
      failures.push(error);
      if (options.stopped?.aborted === true || !mayBeAnothers(error)) break;
    }
  }
  const [cause] = failures;
  throw failures.length === 1
    ? cause
    : new Error([...new Set(failures.map(reasonOf))].join('; '), { cause });
}

/**
 * Whether the parameters may be why: to PgBouncer they are a violation of the protocol (08P01), and to providers' proxies
 * a feature that they don't have (0A000).
 */
function mayRefuseSettings(error: unknown): boolean {
  return error instanceof DatabaseError && ['08P01', '0A000'].includes(error.code ?? '');
}

async function openOn<Session>(
  config: ClientConfig | undefined,
  timeoutMs: number,
  { applicationName, prepare, stopped }: StartSessionOptions<Session>,
): Promise<Session> {
  const socket = new Socket();
  // There is no other way to give up a connection that is being made.
  const session = new Client({
    ...config,
    fallback_application_name: applicationName,
    keepAlive: true,
    stream: () => socket,
  });
  // A connection lost between two queries is reported by the next one.
  session.on('error', () => undefined);
  const giveUp = () => socket.destroy();
  let isLate = false;
  const timeout = setTimeout(() => {
    isLate = true;
    giveUp();
  }, timeoutMs);
  stopped?.addEventListener('abort', giveUp);
  try {
    stopped?.throwIfAborted();
    await session.connect();
    warnOfPlaintext(socket, session.connection.stream);
    const { pooler, isStandby } = await findPooler(session);
    if (isStandby) {
      throw new UnsuitableServerError('in_hot_standby');
    }
    return await prepare(session, pooler);
  } catch (error) {
    socket.destroy();
    throw isLate
      ? new Error(`it did not respond within ${timeoutMs / 1000} s`, { cause: error })
      : error;
  } finally {
    clearTimeout(timeout);
    stopped?.removeEventListener('abort', giveUp);
  }
}
