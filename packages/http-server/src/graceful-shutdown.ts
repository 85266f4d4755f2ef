import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as turnOfLoop, setTimeout as pause } from 'node:timers/promises';
import type { ConnectionTimes } from './connection-bounds.ts';
import { anyLingers } from './lingering-close.ts';

/** Milliseconds in all that clients may take to send the rest of their requests, and to read our answers. */
const PATIENCE = 5000;

/** Connections that the kernel has at most made for us and that we have yet to take: Node's backlog, and one. */
const BACKLOG = 512;

/**
 * Takes no new connection, lets what is under way be answered, and closes connections when they have been
 * idle for a while. It is the caller's to make each answer from now on the last on its connection.
 *
 * @param notice milliseconds for which new connections are still taken
 */
export async function closeServer(
  server: Server,
  { notice, idleAtClose }: Pick<ConnectionTimes, 'idleAtClose'> & { readonly notice: number },
): Promise<void> {
  const closed = once(server, 'close');
  const patience = setTimeout(() => {
    server.closeAllConnections();
  }, PATIENCE);
  await pause(notice);
  await takeWaitingConnections(server);
  // The close of http.Server closes idle connections at once, and resets those on which a request arrives.
  NetServer.prototype.close.call(server);
  const sweeping = setInterval(() => void closeIdleConnections(server), idleAtClose);
  await closed;
  clearTimeout(patience);
  clearInterval(sweeping);
}

/**
 * What the kernel has connected and we have not taken yet would be reset, and its clients have sent their
 * requests already. Each turn of the event loop takes one.
 */
async function takeWaitingConnections(server: Server): Promise<void> {
  let came = true;
  const note = () => {
    came = true;
  };
  server.on('connection', note);
  for (let turn = 0; came && turn < BACKLOG; turn += 1) {
    came = false;
    await turnOfLoop();
  }
  server.off('connection', note);
}

/**
 * Right after what has arrived was read, so that no connection is idle on which there is a request. To Node, one that
 * lingers is idle, too: the next time will do, because they linger for a second at most.
 */
async function closeIdleConnections(server: Server): Promise<void> {
  await turnOfLoop();
  if (!anyLingers()) {
    server.closeIdleConnections();
  }
}
