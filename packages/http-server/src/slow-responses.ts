import type { Server, ServerResponse } from 'node:http';

/**
 * Cuts off whoever keeps a request open for too long: mostly one that does not read what it asked for, for
 * which Node has no clock.
 */
export function cutOverdueAnswers(
  server: Server,
  underWay: ReadonlySet<ServerResponse>,
  milliseconds: number,
): void {
  let seenBefore = new WeakSet<ServerResponse>();
  const interval = setInterval(() => {
    const seen = new WeakSet<ServerResponse>();
    for (const response of underWay) {
      if (seenBefore.has(response)) {
        response.req.socket.destroy();
      }
      seen.add(response);
    }
    seenBefore = seen;
  }, milliseconds).unref();
  server.once('close', () => {
    clearInterval(interval);
  });
}
