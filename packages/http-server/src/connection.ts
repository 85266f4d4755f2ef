import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What the server knows of one of its connections. */
export interface Connection {
  readonly socket: Socket;
  /** Responses in work, in the order of their requests, until they have been handed to the kernel. */
  readonly inWork: ServerResponse[];
  /** Responses to requests that are parsed and wait for those. */
  readonly waiting: ServerResponse[];
  /** Beyond the limit of connections: its requests are rejected. */
  isExcess: boolean;
  /** Its parse error has been answered; Node repeats it with each packet that follows. */
  hasParseError: boolean;
  /** Goes through JavaScript before it is parsed (parse-in-chunks.ts). */
  isChunked: boolean;
  /** The request that was answered before all of its body had come. */
  answeredEarly: IncomingMessage | undefined;
  /** Orders connections by when they became idle, or busy. */
  since: number;
}

const connections = new WeakMap<Duplex, Connection>();

export function createConnection(socket: Socket): Connection {
  const connection = {
    socket,
    inWork: [],
    waiting: [],
    isExcess: false,
    hasParseError: false,
    isChunked: false,
    answeredEarly: undefined,
    since: 0,
  };
  connections.set(socket, connection);
  return connection;
}

export function connectionOf(socket: Duplex): Connection | undefined {
  return connections.get(socket);
}

/** Without a request that is not answered, also before the first. */
export function isIdle({ inWork, waiting }: Connection): boolean {
  return inWork.length === 0 && waiting.length === 0;
}

/** The response to the newest request, if it is not finished. */
export function newestResponse({ inWork, waiting }: Connection): ServerResponse | undefined {
  return waiting.at(-1) ?? inWork.at(-1);
}
