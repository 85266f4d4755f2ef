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

/** A server that listens. */
export interface Listening {
  /** Where to reach it, for example http://127.0.0.1:4000 */
  readonly url: string;
  /**
   * Leaves the port to other processes that listen on it: accepts no more connections, makes the next response on each the
   * last, and closes none earlier, because a client might just be using it. Resolves once
   * none is left, after two minutes at the latest, or when it has to hurry: close() then ends the others.
   */
  readonly leave: (hurry: AbortSignal) => Promise<void>;
  /**
   * Shuts down gracefully, in 5 s at the latest: in-flight requests, and those on their way, are answered.
   *
   * @param noticeMs for which new connections are still accepted, by default 0
   */
  readonly close: (noticeMs?: number) => Promise<void>;
}

/** Where a server listens, and its bounds. */
interface ListenOptions {
  /** A name or an address of this machine. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Further ones are closed at once; by default 4000. */
  readonly maximumConnections?: number;
  /** Addresses or CIDR ranges; none by default. */
  readonly trustedProxies?: readonly string[];
  /** By default DEFAULT_TIMEOUTS. */
  readonly timeouts?: Timeouts;
  /** In whose shape parse errors are answered; REST's by default. */
  readonly surfaceOf?: SurfaceOf;
}

/**
 * Listens on a host and port, with bounds for heads, bodies, connections and times (timeouts.ts).
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
    // A request without a body has no stream for it: it has ended, and emits no 'end'.
    optimizeEmptyRequests: true,
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: timeouts.head,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionsCheckingInterval: timeouts.check,
    // Rejected in the shape of other errors (request-head.ts).
    requireHostHeader: false,
    // There is nothing to upgrade to, so it is ignored (RFC 9110, 7.8).
    shouldUpgradeCallback: (request) => {
      const connection = connectionOf(request.socket);
      if (connection !== undefined) {
        pipelining.upgradeIgnored(connection, request);
      }
      return false;
    },
    // Of two Authorization headers a proxy may have looked at the other: joined they are no key at all.
    joinDuplicateHeaders: true,
  });
  const connections = new Set<Connection>();
  const limit = createConnectionLimit(maximumConnections);
  const clientOf = createPeerAddress(trustedProxies);
  const pipelining = createPipelining(connections, listener);
  let changes = 0;

  server.on('connection', (socket: Socket) => {
    // Who has no address any more has reset the connection before it was accepted, perhaps behind a request.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, clientOf(socket));
    connections.add(connection);
    connection.ageLimit = performance.now() + timeouts.connection * (1 - Math.random() / 2);
    connection.since = changes += 1;
    // Node would close at once behind the last response.
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
    // Later listeners prepend, too, so this one runs last.
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
  // Left to itself, Node would ask for a body before anyone has looked at the key.
  server.on('checkContinue', onRequest);
  // It would reject any other expectation, without a body; servers may ignore it (RFC 9110, 10.1.1).
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
