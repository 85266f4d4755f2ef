import type { ServerResponse } from 'node:http';
import type { Connection } from './connection.ts';

/**
 * Closes connections with a request that is open for too long: mostly of clients that don't read what they asked for,
 * for which Node has no timeout.
 *
 * @returns stops that
 */
export function closeSlowResponses(
  connections: Iterable<Connection>,
  timeoutMs: number,
): () => void {
  let seenBefore = new WeakSet<ServerResponse>();
  const interval = setInterval(() => {
    const seen = new WeakSet<ServerResponse>();
    for (const { socket, inWork, waiting } of connections) {
      for (const response of [...inWork, ...waiting]) {
        seen.add(response);
        if (seenBefore.has(response)) {
          socket.destroy();
        }
      }
    }
    seenBefore = seen;
  }, timeoutMs).unref();
  return () => {
    clearInterval(interval);
  };
}
