import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { stopParsing } from './node-internals.ts';
import { hasBody } from './request-head.ts';

const connections = new WeakMap<Duplex, Connection>();

/** What the server knows of one of its connections. */
export class Connection {
  readonly socket: Socket;
  /** The client's address; undefined for a proxy, which many clients share. */
  readonly client: string | undefined;
  /** Responses in work, in the order of their requests, until they have been handed to the kernel. */
  readonly inWork: ServerResponse[] = [];
  /** Responses to requests that are parsed and wait for those. */
  readonly waiting: ServerResponse[] = [];
  /** Beyond the limit of connections: its requests are rejected. */
  isExcess = false;
  /** Its parse error has been answered; Node repeats it with each packet that follows. */
  hasParseError = false;
  /** It has had its last response, and waits for the client to close its side, too. */
  isLingering = false;
  /** Its data goes through JavaScript before it is parsed (node-internals.ts). */
  isChunked = false;
  /** The request that was answered before all of its body had come. */
  answeredEarly: IncomingMessage | undefined;
  /** Orders connections by when they became idle, or busy. */
  since = 0;
  /** When its next response must be its last, in milliseconds of performance.now(). */
  ageLimit = Infinity;

  constructor(socket: Socket, client: string | undefined) {
    this.socket = socket;
    this.client = client;
    connections.set(socket, this);
  }

  /** Without a request that is not answered, also before the first. */
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

/** For a client to read the last response and to close its side. */
const LINGER_TIMEOUT_MS = 1000;

/** What comes behind them is left unread. */
const MAX_DISCARDED_BYTES = 1_000_000;

/**
 * Half-closes a connection and discards what still arrives until the client closes its side (RFC 9112, 9.6): a close
 * with bytes of the client unread, or on their way, resets the connection, and the client may lose the last response.
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
  discardSome(socket);
  socket.resume();
}

/** Discards what arrives, until that is too much. */
function discardSome(stream: Readable, onTooMuch?: () => void): void {
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
 * Closes connections with a request that is open for too long: mostly of clients that don't read what they asked for,
 * for which Node has no timeout.
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
