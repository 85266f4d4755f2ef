import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { stopParsing } from './node-internals.ts';
import { hasBody } from './request-head.ts';

const connections = new WeakMap<Duplex, Connection>();

/** The server's state for a connection. */
export class Connection {
  readonly socket: Socket;
  /** The client's address; undefined for a trusted proxy, which many clients share. */
  readonly client: string | undefined;
  /** Responses in progress, in the order of their requests, until they have been handed to the kernel. */
  readonly inWork: ServerResponse[] = [];
  /** Responses to parsed requests that are waiting for those in progress. */
  readonly waiting: ServerResponse[] = [];
  /** Whether the connection exceeds the limit. Its requests are then rejected. */
  isExcess = false;
  /** Whether a parse error on the connection has been handled. Node repeats the error for each packet that follows. */
  hasParseError = false;
  /** Whether the server has sent the last response and closed its side, but the client hasn't closed its own yet. */
  isLingering = false;
  /** Whether incoming data passes through JavaScript before it reaches Node's parser (node-internals.ts). */
  isChunked = false;
  /** The request that was answered before its whole body had arrived. */
  answeredEarly: IncomingMessage | undefined;
  /** A sequence number, updated whenever the connection becomes idle or busy. */
  since = 0;
  /** The time, as performance.now(), after which the connection's next response is its last. */
  ageLimit = Infinity;

  constructor(socket: Socket, client: string | undefined) {
    this.socket = socket;
    this.client = client;
    connections.set(socket, this);
  }

  /** Whether no request on the connection is in progress or waiting. */
  get isIdle(): boolean {
    return this.inWork.length === 0 && this.waiting.length === 0;
  }

  /** The newest response that is waiting or in progress. */
  get newest(): ServerResponse | undefined {
    return this.waiting.at(-1) ?? this.inWork.at(-1);
  }
}

export function connectionOf(socket: Duplex): Connection | undefined {
  return connections.get(socket);
}

/** Milliseconds for a client to read the last response and to close its side of the connection. */
const LINGER_TIMEOUT_MS = 1000;

/** Maximum number of bytes to read and discard. Any further bytes are left unread. */
const MAX_DISCARDED_BYTES = 1_000_000;

/**
 * Half-closes a connection, and discards incoming data until the client closes its side (RFC 9112, 9.6). Closing it while bytes
 * from the client are unread, or in transit, would reset the connection, and the client might lose the last response.
 */
export function closeLingering(connection: Connection, lastBytes = ''): void {
  if (connection.isLingering) {
    return;
  }
  connection.isLingering = true;
  const { socket } = connection;
  socket.end(lastBytes);
  const timeout = setTimeout(() => {
    socket.destroy();
  }, LINGER_TIMEOUT_MS);
  socket.once('close', () => {
    clearTimeout(timeout);
  });
  stopParsing(socket);
  discardUpTo(socket);
  socket.resume();
}

/** Discards arriving data up to MAX_DISCARDED_BYTES, and then pauses the stream. */
function discardUpTo(stream: Readable, onTooMuch?: () => void): void {
  let discarded = 0;
  stream.on('data', ({ length }: Buffer) => {
    discarded += length;
    if (discarded > MAX_DISCARDED_BYTES) {
      stream.pause();
      onTooMuch?.();
    }
  });
}

/**
 * Closes connections whose requests have been open for too long, mostly because clients don't read the response. Node has no
 * timeout for that.
 */
export function closeSlowResponses(
  open: ReadonlySet<Connection>,
  timeoutMs: number,
): NodeJS.Timeout {
  let seen = new WeakSet<ServerResponse>();
  return setInterval(() => {
    const responses = [...open].flatMap(({ inWork, waiting }) => inWork.concat(waiting));
    for (const { req } of responses.filter((response) => seen.has(response))) {
      req.socket.destroy();
    }
    seen = new WeakSet(responses);
  }, timeoutMs).unref();
}

/** Whether the next bytes on a connection belong to the body of a request that has already been answered. */
export function isDraining({ answeredEarly }: Connection): boolean {
  return answeredEarly?.complete === false;
}

/**
 * Limits how much of a body is read after its request has been answered. A limited amount is read, because some clients read the
 * response only when they have sent the whole body. A client that sends more is disconnected.
 */
export function drainBody(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!hasBody(request)) {
    return;
  }
  // Runs before Node's own listener, which would discard the rest of the body without a limit.
  response.prependOnceListener('finish', () => {
    if (request.complete) {
      return;
    }
    connection.answeredEarly = request;
    discardUpTo(request, () => {
      closeLingering(connection);
    });
  });
}
