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
  /** Whether it exceeds the connection limit, so that its requests are rejected. */
  isExcess = false;
  /** Whether its parse error has been handled. Node repeats the error for each packet that follows. */
  hasParseError = false;
  /** Whether its last response has been sent, and it is waiting for the client to close its side, too. */
  isLingering = false;
  /** Whether its data goes through JavaScript before it is parsed (node-internals.ts). */
  isChunked = false;
  /** The request that was answered before its whole body had arrived. */
  answeredEarly: IncomingMessage | undefined;
  /** Orders connections by the time at which they became idle or busy. */
  since = 0;
  /** The performance.now() after which its next response is its last. */
  ageLimit = Infinity;

  constructor(socket: Socket, client: string | undefined) {
    this.socket = socket;
    this.client = client;
    connections.set(socket, this);
  }

  /** Whether all its requests have been answered, or it has had none yet. */
  get isIdle(): boolean {
    return this.inWork.length === 0 && this.waiting.length === 0;
  }

  /** The response to the newest request, if it is not finished. */
  get newest(): ServerResponse | undefined {
    return this.waiting.at(-1) ?? this.inWork.at(-1);
  }
}

export function connectionOf(socket: Duplex): Connection | undefined {
  return connections.get(socket);
}

/** Time for a client to read the last response and to close its side. */
const LINGER_TIMEOUT_MS = 1000;

/** Maximum number of bytes to discard. Any bytes after these are left unread. */
const MAX_DISCARDED_BYTES = 1_000_000;

/**
 * Half-closes a connection, and discards data that still arrives until the client closes its side (RFC 9112, 9.6). Closing it
 * while bytes from the client are unread, or in transit, would reset the connection, and the client might lose the last response.
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
 * Limits how much of a body is read after its request has been answered. A limited amount is read, for clients that don't read
 * the response while they send; a client that sends more is disconnected.
 */
export function drainBody(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!hasBody(request)) {
    return;
  }
  // Runs before Node's own listener, which would discard the rest without a limit.
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
