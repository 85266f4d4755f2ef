import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { log } from '@gateway/log/log';
import { recorder } from '@gateway/telemetry/recorder';
import { createConnectionsByClient, type ConnectionsByClient } from './connections-by-client.ts';
import { MAXIMUM_HEAD_BYTES } from './request-head.ts';

/**
 * Connections that are taken beyond the bound, so that their requests can be told (packages/http-server/src/concurrency-limit.ts).
 * When there are more, the first of them are closed without a word.
 */
const TOLD_CONNECTIONS = 100;

/** Milliseconds from one line in the log about closed connections to the next. */
const LOG_INTERVAL = 60_000;

/** Milliseconds that things may take on a connection. */
export interface ConnectionTimes {
  /** The head of a request; also until a new connection has sent one. */
  readonly head: number;
  /** A whole request. */
  readonly request: number;
  /** A request and its answer: from once to twice as long. */
  readonly answer: number;
  /** The pause between two requests. */
  readonly idle: number;
  /**
   * The same while the server closes, once or twice: for a request that was on its way when we were told to end, or the
   * next one of a client that is at work and so hears, by its answer, that it is the last.
   */
  readonly idleAtClose: number;
  /** From one look at what is late to the next. */
  readonly check: number;
}

export const CONNECTION_TIMES: ConnectionTimes = {
  head: 10_000,
  request: 30_000,
  answer: 60_000,
  // Longer than proxies keep theirs, mostly 60 s: or else we could close one just as it is used again.
  idle: 65_000,
  idleAtClose: 500,
  check: 1000,
};

export function connectionOptions({ head, request, idle, check }: ConnectionTimes): ServerOptions {
  return {
    maxHeaderSize: MAXIMUM_HEAD_BYTES,
    headersTimeout: head,
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: check,
    // Refused in the contract's words (packages/http-server/src/request-head.ts).
    requireHostHeader: false,
    // Of two Authorization headers a proxy may have looked at the one, and we would at the other: joined
    // they are no key at all.
    joinDuplicateHeaders: true,
  };
}

const beyondBound = new WeakSet<Socket>();

/** Whether it is one connection too many, whose requests are to be refused. */
export function cameBeyondBound(socket: Socket): boolean {
  return beyondBound.has(socket);
}

export interface ConnectionsBound {
  readonly maximum: number;
  /** Whose connection it is; undefined if it is that of a proxy, so of many clients. */
  readonly clientOf: (socket: Socket) => string | undefined;
}

/**
 * Keeps no more than `maximum` connections, and a few to tell them so. A new one takes the place of one that can be
 * done without, if there is any (packages/http-server/src/connections-by-client.ts).
 */
export function boundConnections(
  server: Server,
  { maximum, clientOf }: ConnectionsBound,
): Pick<ConnectionsByClient, 'requestBegins' | 'requestEnds'> {
  recorder.limitSet('connections', maximum);
  const logSome = createOccasionalWarning(maximum);
  const kept = new Set<Socket>();
  const told = new Set<Socket>();
  const byClient = createConnectionsByClient();
  const forget = (socket: Socket): void => {
    kept.delete(socket);
    told.delete(socket);
    byClient.remove(socket);
  };
  const close = (socket: Socket): void => {
    logSome();
    forget(socket);
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    const client = clientOf(socket);
    const leastWanted = kept.size < maximum ? undefined : byClient.leastWanted(client);
    if (leastWanted !== undefined) {
      close(leastWanted);
    }
    if (kept.size < maximum) {
      kept.add(socket);
      if (client !== undefined) {
        byClient.add(socket, client);
      }
    } else {
      beyondBound.add(socket);
      told.add(socket);
      const [first] = told;
      if (told.size > TOLD_CONNECTIONS && first !== undefined) {
        recorder.rejectedBeforeParsing(undefined);
        close(first);
      }
    }
    socket.on('close', () => {
      forget(socket);
    });
  });
  return byClient;
}

function createOccasionalWarning(maximum: number): () => void {
  let logged = -Infinity;
  return () => {
    const now = performance.now();
    if (now - logged > LOG_INTERVAL) {
      logged = now;
      log.warn({ maximum }, 'too many connections: some are closed');
    }
  };
}
