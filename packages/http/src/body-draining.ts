import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from './connection.ts';
import { closeLingering, discardSome } from './lingering-close.ts';
import { hasBody } from './request-head.ts';

/** Whether what is to come on a connection is still the body of a request that has its response. */
export function isDraining({ answeredEarly }: Connection): boolean {
  return answeredEarly?.complete === false;
}

/**
 * Bounds what is read of a body whose request has been answered, for clients that don't listen while they send: one that
 * sends more than that is disconnected.
 */
export function drainBody(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!hasBody(request)) {
    return;
  }
  // Before Node's own listener, which would discard the rest unseen.
  response.prependOnceListener('finish', () => {
    if (request.complete) {
      return;
    }
    connection.answeredEarly = request;
    discardSome(request, () => {
      closeLingering(connection);
    });
  });
}
