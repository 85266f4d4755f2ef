import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { closeLingering } from './lingering-close.ts';

/** Bytes of a body that are read and thrown away once it has been answered: for clients that don't listen meanwhile. */
const UNREAD_BYTES = 1_000_000;

/** The request of each connection that was answered before all of it had come. */
const answeredEarly = new WeakMap<Duplex, IncomingMessage>();

/** Whether what is to come on a connection is still the body of a request that has its answer. */
export function isAnswered(socket: Duplex): boolean {
  return answeredEarly.get(socket)?.complete === false;
}

/**
 * Bounds what is read of a body whose request has been answered, such as one that is too large: the connection
 * of a client that goes on sending beyond that is closed.
 */
export function boundUnreadBodies(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { headers } = request;
    if ('content-length' in headers || 'transfer-encoding' in headers) {
      // Before Node's own listener, which would have the rest thrown away unseen.
      response.prependOnceListener('finish', () => {
        if (!request.complete) {
          throwAway(request);
        }
      });
    }
    listener(request, response);
  };
}

function throwAway(request: IncomingMessage): void {
  const { socket } = request;
  answeredEarly.set(socket, request);
  let unread = 0;
  request.on('data', ({ length }: Buffer) => {
    unread += length;
    if (unread > UNREAD_BYTES) {
      request.pause();
      closeLingering(socket);
    }
  });
}
