import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';
import { isRead } from './message/send.ts';
import { parseInChunks, recoverBehind } from './node-internals.ts';

/** Maximum number of connections that hold unparsed requests. Each holds at most 128 kB, which is what Node reads ahead. */
const MAX_HOLDING_CONNECTIONS = 1000;

/**
 * Maximum number of parsed requests that may wait in total. If there are more, every connection is parsed in chunks, even one
 * that doesn't pipeline.
 */
const MAX_WAITING = 1000;

/**
 * Milliseconds for which new connections are parsed in chunks from their first request on, after too many requests had to wait.
 */
const FLOOD_MS = 60_000;

/** Maximum number of concurrent requests on a connection, if all of them are safe. */
const MAX_IN_WORK = 8;

/** Whether a response's request may be processed concurrently with others on its connection (RFC 9112, 9.3.2). */
function isSafe({ req }: ServerResponse): boolean {
  return isRead(req);
}

/**
 * Whether one more safe request may start on a connection: fewer than MAX_IN_WORK requests are in progress, all of them are safe,
 * and the client hasn't left too much response data unread.
 */
function hasRoom({ socket, inWork }: Connection): boolean {
  const unread = inWork.reduce((bytes, { writableLength }) => bytes + writableLength, 0);
  return (
    inWork.length < MAX_IN_WORK && inWork.every(isSafe) && unread < socket.writableHighWaterMark
  );
}

/** Whether a connection has reached its age limit. Requests that the client has already sent are answered first. */
function isOld({ ageLimit, inWork, waiting, isChunked }: Connection): boolean {
  return (
    ageLimit < Infinity &&
    inWork.length === 1 &&
    waiting.length === 0 &&
    !isChunked &&
    performance.now() > ageLimit
  );
}

/** Ends a response whose connection is gone. Node 24.0 does that only for the first response on a connection. */
function abandon(response: ServerResponse): void {
  if (response.socket === null && !response.destroyed && !response.writableFinished) {
    response.destroyed = true;
    response.emit('close');
  }
}

/**
 * Makes a response the last on its connection. Otherwise, a client that keeps its connection busy would keep the server from
 * closing.
 */
function closeAfterResponse(response: ServerResponse): void {
  if (!response.headersSent) {
    response.setHeader('Connection', 'close');
  }
}

/**
 * Passes only a few requests from a connection to the listener at a time, however many the client pipelines. The others wait,
 * mostly unparsed, and reading pauses, so that nothing more is executed for a client that doesn't read its responses.
 */
export function createPipelining(connections: Iterable<Connection>, listener: RequestListener) {
  /** Connections with unparsed requests, ordered by their last progress, oldest first. */
  const holding = new Set<Socket>();
  let waitingCount = 0;
  let floodedUntil = -Infinity;
  let isDraining = false;

  const start = (connection: Connection, response: ServerResponse): void => {
    connection.inWork.push(response);
    if (isDraining || isOld(connection)) {
      closeAfterResponse(response);
    }
    // A parse error in the request's body may have been answered already.
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
      // Other connections may have received as many requests at the same time, and would be parsed next.
      for (const other of connections) {
        goInChunks(other);
      }
    }
  };

  return {
    opened: (connection: Connection): void => {
      // Unless there was a flood recently, data goes directly from libuv to the parser until the connection pipelines.
      if (performance.now() < floodedUntil) {
        goInChunks(connection);
      }
    },
    /** Called when a request's upgrade is ignored. Data that arrived with the request is parsed like any other. */
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
    /**
     * From now on, no connection processes requests concurrently, and each connection's newest response in progress is its last.
     */
    drain: (): void => {
      isDraining = true;
      for (const { inWork } of connections) {
        inWork.slice(-1).forEach(closeAfterResponse);
      }
    },
  };
}
