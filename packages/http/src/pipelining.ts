import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';
import { isRead } from './message/methods.ts';
import { parseInChunks, recoverBehind } from './node-internals.ts';

/** Connections that may hold unparsed requests: 128 kB each at most, since that is what Node reads ahead. */
const MAX_HOLDING_CONNECTIONS = 1000;

/** Parsed requests that may wait in all, before every connection is parsed in chunks, whether it pipelines or not. */
const MAX_WAITING = 1000;

/** For so long new connections are then parsed in chunks from their first request on. */
const FLOOD_MS = 60_000;

/** Maximum concurrent requests of a connection, if all of them are safe. */
const MAX_IN_WORK = 8;

/** Whether its request may be processed beside others of its connection (RFC 9112, 9.3.2). */
function isSafe({ req }: ServerResponse): boolean {
  return isRead(req);
}

/** Whether one more safe request may be in work: not behind an unsafe one, nor while the client leaves much unread. */
function hasRoom({ socket, inWork }: Connection): boolean {
  const unread = inWork.reduce((bytes, { writableLength }) => bytes + writableLength, 0);
  return (
    inWork.length < MAX_IN_WORK && inWork.every(isSafe) && unread < socket.writableHighWaterMark
  );
}

/** Whether a connection has lived for long enough. What a client has sent already is answered first. */
function isOld({ ageLimit, inWork, waiting, isChunked }: Connection): boolean {
  return (
    ageLimit < Infinity &&
    inWork.length === 1 &&
    waiting.length === 0 &&
    !isChunked &&
    performance.now() > ageLimit
  );
}

/** Ends a response whose connection is gone. Node 24.0 does that for the first response of a connection only. */
function abandon(response: ServerResponse): void {
  if (response.socket === null && !response.destroyed && !response.writableFinished) {
    response.destroyed = true;
    response.emit('close');
  }
}

/** A client that kept its connection busy would keep the server from ever closing. */
function makeLast(response: ServerResponse): void {
  if (!response.headersSent) {
    response.setHeader('Connection', 'close');
  }
}

/**
 * Passes on few requests of a connection at a time, however many it pipelines. The others wait, mostly unparsed, and
 * reading pauses: nothing more is executed for a client that does not read its responses.
 */
export function createPipelining(connections: Iterable<Connection>, listener: RequestListener) {
  /** Connections with unparsed requests; the one that has made no progress for longest comes first. */
  const holding = new Set<Socket>();
  let waitingCount = 0;
  let floodedUntil = -Infinity;
  let isDraining = false;

  const start = (connection: Connection, response: ServerResponse): void => {
    connection.inWork.push(response);
    if (isDraining || isOld(connection)) {
      makeLast(response);
    }
    // A parse error in its body may have been answered before.
    if (!response.writableEnded) {
      listener(response.req, response);
    }
  };
  const mayStart = (connection: Connection, response: ServerResponse): boolean =>
    connection.inWork.length === 0 || (!isDraining && isSafe(response) && hasRoom(connection));
  const startWaiting = (connection: Connection): void => {
    const { socket, waiting } = connection;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (!socket.writable || !mayStart(connection, next)) {
        return;
      }
      waiting.shift();
      waitingCount -= 1;
      start(connection, next);
    }
    socket.resume();
  };
  const goInChunks = (connection: Connection): void => {
    if (connection.isChunked) {
      return;
    }
    connection.isChunked = true;
    const { socket, inWork, waiting } = connection;
    parseInChunks(socket, {
      // What follows an incomplete request is its body.
      isFull: () =>
        inWork.at(-1)?.req.complete === true && (waiting.length > 0 || !hasRoom(connection)),
      onHeld: (isHeld) => {
        holding[isHeld ? 'add' : 'delete'](socket);
        const [longest] = holding;
        if (holding.size > MAX_HOLDING_CONNECTIONS) {
          longest?.destroy();
        }
      },
    });
  };
  const wait = (connection: Connection, response: ServerResponse): void => {
    connection.waiting.push(response);
    waitingCount += 1;
    goInChunks(connection);
    if (waitingCount > MAX_WAITING) {
      floodedUntil = performance.now() + FLOOD_MS;
      // Other connections may have sent as much at the same time, and would be read next.
      for (const other of connections) {
        goInChunks(other);
      }
    }
  };

  return {
    opened: (connection: Connection): void => {
      // Others are spared: their data goes straight from libuv to the parser until they pipeline.
      if (performance.now() < floodedUntil) {
        goInChunks(connection);
      }
    },
    /** A request's upgrade is ignored: what came with it is parsed as any other request. */
    upgradeIgnored: (connection: Connection, request: IncomingMessage): void => {
      if (!connection.isChunked) {
        recoverBehind(request, (rest) => {
          goInChunks(connection);
          connection.socket.emit('data', rest);
        });
      }
    },
    closed: ({ socket, inWork, waiting }: Connection): void => {
      holding.delete(socket);
      waitingCount -= waiting.length;
      [...inWork, ...waiting.splice(0)].forEach(abandon);
    },
    requested: (connection: Connection, response: ServerResponse): void => {
      if (connection.waiting.length === 0 && mayStart(connection, response)) {
        start(connection, response);
      } else {
        wait(connection, response);
      }
    },
    responded: (connection: Connection, response: ServerResponse): void => {
      const { socket, inWork, waiting } = connection;
      if (inWork[0] === response) {
        inWork.shift();
      }
      if (waiting.length > 0 || holding.has(socket)) {
        startWaiting(connection);
      }
    },
    /** From now on no connection takes more requests into work, and its newest response in work is its last. */
    drain: (): void => {
      isDraining = true;
      for (const { inWork } of connections) {
        inWork.slice(-1).forEach(makeLast);
      }
    },
  };
}
