import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as turnOfLoop, setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';

/** For clients to send the rest of their requests, and to read our responses. */
const DRAIN_TIMEOUT_MS = 5000;

/**
 * The length of the kernel's queue of connections to accept (listen(2)), which is Linux's default maximum, too. Behind a queue
 * that is full, a client waits for a second until TCP tries again (RFC 6298, 2.1): Node's 511 is less than a burst.
 */
export const BACKLOG = 4096;

/**
 * Accepts no new connection and closes none: clients do, at their last response, and idle ones run into their own timeout.
 * Resolves once none is left, or the signal is aborted.
 */
export async function leavePort(server: Server, signal: AbortSignal): Promise<void> {
  const left = signal.aborted
    ? undefined
    : Promise.race([once(server, 'close'), once(signal, 'abort')]);
  await stopListening(server);
  await left;
}

/**
 * Accepts no new connection, lets in-flight requests finish, and closes connections that are idle.
 *
 * @param connections those that are open
 * @param noticeMs for which new connections are still accepted
 * @param idleMs after which idle connections are closed
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
  // The close of http.Server closes idle connections at once, and resets those on which a request arrives.
  NetServer.prototype.close.call(server);
}

/**
 * Accepts what the kernel has connected, which would be reset with the requests that its clients have sent. Each turn of
 * the event loop accepts one.
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
 * Closes idle connections right after what has arrived was read, so that none has a request on it. To Node, one that
 * lingers is idle, too: its turn comes later, since it lingers for a second at most.
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
