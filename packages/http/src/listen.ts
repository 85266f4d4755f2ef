import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { listenFailure, recorder } from '@store-gateway/ops';
import {
  drainBody,
  Connection,
  connectionOf,
  closeLingering,
  closeSlowResponses,
} from './connection.ts';
import { createConnectionLimit } from './connection-limit.ts';
import { BACKLOG, closeServer, leavePort } from './graceful-shutdown.ts';
import { createPeerAddress } from './message/client-address.ts';
import { answerParseErrors } from './parse-errors.ts';
import { createPipelining } from './pipelining.ts';
import { createReject, type SurfaceOf, MAX_HEAD_BYTES } from './request-head.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './timeouts.ts';

/** A listening server. */
export interface Listening {
  /** The server's URL, for example http://127.0.0.1:4000 */
  readonly url: string;
  /**
   * Leaves the port to other processes that listen on it. It stops accepting connections, and makes the next response on each
   * connection the last. It closes none earlier, because a client might just be using it. Resolves when no connection is left,
   * after two minutes at the latest, or when `hurry` is aborted: close() then ends the others.
   */
  readonly leave: (hurry: AbortSignal) => Promise<void>;
  /**
   * Shuts down gracefully within 5 s: requests that are in flight, or on their way, are answered.
   *
   * @param noticeMs milliseconds for which new connections are still accepted, by default 0
   */
  readonly close: (noticeMs?: number) => Promise<void>;
}

/** A server's address, and its limits. */
interface ListenOptions {
  /** A name or an address of this machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Maximum number of connections; a few more get 503, and all others are closed. By default 4000. */
  readonly maximumConnections?: number;
  /** Addresses or CIDR ranges of proxies that many clients share; by default none. */
  readonly trustedProxies?: readonly string[];
  /** By default DEFAULT_TIMEOUTS. */
  readonly timeouts?: Timeouts;
  /** The API at a path, in whose format parse errors are answered; by default REST. */
  readonly surfaceOf?: SurfaceOf;
}

/**
 * Listens on a host and port, with limits on heads, bodies, connections and times (timeouts.ts).
 *
 * @throws StartupFailure naming HOST and PORT if it can't listen there
 */
export async function listen(
  listener: RequestListener,
  {
    host,
    port,
    maximumConnections = 4000,
    trustedProxies = [],
    timeouts = DEFAULT_TIMEOUTS,
    surfaceOf = () => 'rest',
  }: ListenOptions,
): Promise<Listening> {
  const server = createServer({
    // A request without a body then has no stream: it has ended already, and emits no 'end'.
    optimizeEmptyRequests: true,
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: timeouts.head,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionsCheckingInterval: timeouts.check,
    // A missing Host header is rejected in the format of other errors (request-head.ts).
    requireHostHeader: false,
    // The server supports no upgrades, so they are ignored (RFC 9110, 7.8).
    shouldUpgradeCallback: (request) => {
      const connection = connectionOf(request.socket);
      if (connection !== undefined) {
        pipelining.upgradeIgnored(connection, request);
      }
      return false;
    },
    // With two Authorization headers, a proxy may have checked the other one. Joined, they are not a valid key.
    joinDuplicateHeaders: true,
  });
  const connections = new Set<Connection>();
  const limit = createConnectionLimit(maximumConnections);
  const clientOf = createPeerAddress(trustedProxies);
  const pipelining = createPipelining(connections, listener);
  let changes = 0;

  server.on('connection', (socket: Socket) => {
    // No remote address: the client reset the connection before we accepted it, perhaps after sending a request.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, clientOf(socket));
    connections.add(connection);
    connection.ageLimit = performance.now() + timeouts.connection * (1 - Math.random() / 2);
    connection.since = changes += 1;
    // Node would close the connection immediately after the last response.
    socket.destroySoon = () => {
      closeLingering(connection);
    };
    limit.add(connection);
    pipelining.opened(connection);
    socket.on('close', () => {
      connections.delete(connection);
      limit.remove(connection);
      pipelining.closed(connection);
    });
  });
  const onRequest: RequestListener = (request, response) => {
    const connection = connectionOf(request.socket);
    if (connection === undefined) {
      throw new Error('the request did not arrive on a connection of this server');
    }
    if (connection.isIdle) {
      connection.since = changes += 1;
    }
    // Later listeners are prepended, too, so this one runs last.
    response.prependListener('close', () => {
      pipelining.responded(connection, response);
      if (connection.isIdle) {
        connection.since = changes += 1;
      }
    });
    drainBody(connection, request, response);
    pipelining.requested(connection, response);
  };
  server.on('request', onRequest);
  // By default, Node would ask for the body before the key has been checked.
  server.on('checkContinue', onRequest);
  // Node would reject any other expectation, without a body; servers may ignore it (RFC 9110, 10.1.1).
  server.on('checkExpectation', onRequest);
  answerParseErrors(server, createReject(surfaceOf));
  server.listen({ port, host, backlog: BACKLOG });
  try {
    // Later errors are uncaught: the process can't serve any more, and shuts down (shutdown-signal.ts).
    await once(server, 'listening');
  } catch (error) {
    throw listenFailure(error, { host, port });
  }
  const closing = closeSlowResponses(connections, timeouts.response);
  recorder.observe('http_server_open_connections', () => connections.size);
  return {
    url: urlOf(server),
    leave: async (hurry) => {
      pipelining.drain();
      await leavePort(server, hurry);
    },
    close: async (noticeMs = 0) => {
      pipelining.drain();
      await closeServer(server, connections, noticeMs, timeouts.idleAtShutdown);
      clearInterval(closing);
    },
  };
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the server does not listen on a TCP port');
  }
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
