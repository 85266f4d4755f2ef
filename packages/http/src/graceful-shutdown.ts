import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as turnOfLoop, setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';

/** Time for clients to send the rest of their requests, and to read the responses. */
const DRAIN_TIMEOUT_MS = 5000;

/**
 * The length of the kernel's queue of connections to accept (listen(2)); Linux's default maximum is the same. When the queue is
 * full, a client waits for a second until TCP tries again (RFC 6298, 2.1), and Node's default of 511 is less than a burst.
 */
export const BACKLOG = 4096;

/**
 * Stops accepting connections, and closes none: clients close theirs after the last response, and idle connections time out.
 * Resolves when no connection is left, or the signal is aborted.
 */
export async function leavePort(server: Server, signal: AbortSignal): Promise<void> {
  const left = signal.aborted
    ? undefined
    : Promise.race([once(server, 'close'), once(signal, 'abort')]);
  await stopListening(server);
  await left;
}

/**
 * Stops accepting connections, finishes in-flight requests, and closes idle connections.
 *
 * @param connections that are open
 * @param noticeMs milliseconds for which new connections are still accepted
 * @param idleMs milliseconds between two sweeps that close idle connections
 */
export async function closeServer(
  server: Server,
  connections: ReadonlySet<Connection>,
  noticeMs: number,
  idleMs: number,
): Promise<void> {
  const closed = once(server, 'close');
  const timeout = setTimeout(() => {
    server.closeAllConnections();
  }, DRAIN_TIMEOUT_MS);
  await pause(noticeMs);
  await stopListening(server);
  const sweeping = setInterval(() => void closeIdleConnections(server, connections), idleMs);
  await closed;
  clearTimeout(timeout);
  clearInterval(sweeping);
}

async function stopListening(server: Server): Promise<void> {
  await acceptBacklog(server);
  // The `close` of http.Server would close idle connections immediately, and reset those on which a request is arriving.
  NetServer.prototype.close.call(server);
}

/**
 * Accepts the connections in the kernel's queue. Otherwise they would be reset, together with the requests that clients have
 * sent on them. Each turn of the event loop accepts one.
 */
async function acceptBacklog(server: Server): Promise<void> {
  let hasAccepted = true;
  const onConnection = () => {
    hasAccepted = true;
  };
  server.on('connection', onConnection);
  for (let turn = 0; hasAccepted && turn <= BACKLOG; turn += 1) {
    hasAccepted = false;
    await turnOfLoop();
  }
  server.off('connection', onConnection);
}

/**
 * Closes idle connections right after arrived data has been read, so that none has a request on it. To Node, a lingering
 * connection is idle, too, so nothing is closed while one lingers, which takes a second at most.
 */
async function closeIdleConnections(
  server: Server,
  connections: ReadonlySet<Connection>,
): Promise<void> {
  await turnOfLoop();
  if (!connections.values().some(({ isLingering }) => isLingering)) {
    server.closeIdleConnections();
  }
}
