import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

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
  /** It has had its last response, and waits for the client to close its side, too (lingering-close.ts). */
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
