import type { ServerResponse } from 'node:http';
import type { Connection } from './connection.ts';

/**
 * Closes connections with a request that is open for too long: mostly of clients that don't read what they asked for,
 * for which Node has no timeout.
 */
export function closeSlowResponses(
  connections: ReadonlySet<Connection>,
  timeoutMs: number,
): NodeJS.Timeout {
  let seen = new WeakSet<ServerResponse>();
  return setInterval(() => {
    const open = [...connections].flatMap(({ inWork, waiting }) => inWork.concat(waiting));
    for (const { req } of open.filter((response) => seen.has(response))) {
      req.socket.destroy();
    }
    seen = new WeakSet(open);
  }, timeoutMs).unref();
}
