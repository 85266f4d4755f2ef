import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as turnOfLoop, setTimeout as pause } from 'node:timers/promises';
import { listenFailure, log, recorder } from '@store-gateway/ops';
import {
  closeLingering,
  closeSlowResponses,
  Connection,
  connectionOf,
  drainBody,
} from './connection.ts';
import { createPeerAddress } from './message/client-address.ts';
import { answerParseErrors } from './parse-errors.ts';
import { createPipelining } from './pipelining.ts';
import { createReject, MAX_HEAD_BYTES, type SurfaceOf } from './request-head.ts';

/** A listening server. */
export interface Listening {
  /** The server's URL, for example http://127.0.0.1:4000 */
  readonly url: string;
  /**
   * Leaves the port to other processes that listen on it: stops accepting connections, and makes the next response on each
   * connection the last. No connection is closed earlier, because a client may be about to use it. Resolves when no connection is
   * left, after two minutes at the latest, or when `hurry` is aborted. close() then ends the remaining connections.
   */
  readonly leave: (hurry: AbortSignal) => Promise<void>;
  /**
   * Shuts down gracefully within 5 s. Requests that are in flight or in transit are answered.
   *
   * @param noticeMs milliseconds for which new connections are still accepted; defaults to 0
   */
  readonly close: (noticeMs?: number) => Promise<void>;
}

/** A server's address, and its limits. */
interface ListenOptions {
  /** A host name or an address of this machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /**
   * Maximum number of connections. Requests on a few connections beyond it get 503, and any further connections are closed.
   * Defaults to 4000.
   */
  readonly maximumConnections?: number;
  /** Addresses or CIDR ranges of proxies, whose connections many clients share. By default, there are none. */
  readonly trustedProxies?: readonly string[];
  /** Defaults to DEFAULT_TIMEOUTS. */
  readonly timeouts?: Timeouts;
  /** Returns the API at a path; parse errors have that API's format. Defaults to REST. */
  readonly surfaceOf?: SurfaceOf;
}

/**
 * Listens on a host and port, with limits on request heads, bodies, connections and times (`Timeouts`).
 *
 * @throws StartupFailure that names HOST or PORT if it can't listen there
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
    // With this option, a request without a body has no stream: it has already ended, and doesn't emit 'end'.
    optimizeEmptyRequests: true,
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: timeouts.head,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionsCheckingInterval: timeouts.check,
    // A missing Host header is rejected elsewhere, in the usual error format (request-head.ts).
    requireHostHeader: false,
    // The server doesn't support upgrades, so it ignores requests for them (RFC 9110, 7.8).
    shouldUpgradeCallback: (request) => {
      const connection = connectionOf(request.socket);
      if (connection !== undefined) {
        pipelining.upgradeIgnored(connection, request);
      }
      return false;
    },
    // With two Authorization headers, a proxy might check one, and this server use the other. Joined, they are not a valid key.
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
      throw new Error('the request did not arrive on a connection to this server');
    }
    if (connection.isIdle) {
      connection.since = changes += 1;
    }
    // Must run after all other listeners that are prepended: they are prepended later, so they run earlier.
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
  // By default, Node would request the body before the key has been checked.
  server.on('checkContinue', onRequest);
  // Node would reject any other Expect header with a response that has no body. Servers may ignore the header (RFC 9110, 10.1.1).
  server.on('checkExpectation', onRequest);
  answerParseErrors(server, createReject(surfaceOf));
  server.listen({ port, host, backlog: BACKLOG });
  try {
    // Later errors are uncaught: the process can no longer serve, and shuts down (shutdown-signal.ts).
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
    throw new Error('the server is not listening on a TCP port');
  }
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** The timeouts of a connection, in milliseconds. */
export interface Timeouts {
  /** For the head of a request, and for the first head on a new connection. */
  readonly head: number;
  /** For a whole request. */
  readonly request: number;
  /**
   * For a request and its response. Connections are checked at this interval, so the timeout expires after one to two times the
   * value.
   */
  readonly response: number;
  /** For the pause between two requests. */
  readonly idle: number;
  /**
   * The interval at which idle connections are closed during shutdown. It leaves time for requests in transit, and for an active
   * client's next request.
   */
  readonly idleAtShutdown: number;
  /**
   * For the age of a connection: each connection gets a random limit between half of this value and all of it. After that, the
   * connection's next response is its last, so that clients spread to processes that have started since. A response in progress
   * isn't interrupted.
   */
  readonly connection: number;
  /** The interval at which `head` and `request` are checked. */
  readonly check: number;
}

/** Timeouts that suit any network, including slow clients, and proxies that keep connections for 60 s. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  head: 10_000,
  request: 30_000,
  response: 60_000,
  // Longer than proxies keep connections, which is usually 60 s. Otherwise, a connection could be closed just as a proxy reuses
  // it.
  idle: 65_000,
  idleAtShutdown: 500,
  connection: Infinity,
  check: 1000,
};

/**
 * Number of connections to accept beyond the limit, so that their requests can be rejected. Any further connections are closed
 * without a response.
 */
const MAX_EXCESS_CONNECTIONS = 100;

/** Minimum time between two log lines about closed connections. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Keeps at most `maximum` connections, and a few further connections whose requests get 503. At the limit, a new connection
 * replaces one from a client with the most connections, if possible (longest queue drop). Connections from trusted proxies are
 * never dropped.
 */
function createConnectionLimit(maximum: number) {
  recorder.observe('http_server_open_connections_max', () => maximum);
  const excess = new Set<Connection>();
  const byClient = new Map<string | undefined, Set<Connection>>();
  let keptCount = 0;
  let loggedAt = -Infinity;

  const remove = (connection: Connection): void => {
    const siblings = byClient.get(connection.client);
    excess.delete(connection);
    if (siblings?.delete(connection) === true) {
      keptCount -= 1;
      if (siblings.size === 0) {
        byClient.delete(connection.client);
      }
    }
  };
  const close = (connection: Connection): void => {
    const now = performance.now();
    if (now - loggedAt > LOG_INTERVAL_MS) {
      loggedAt = now;
      log.warn({ maximum }, 'too many connections: closing some');
    }
    remove(connection);
    connection.socket.destroy();
  };
  const add = (connection: Connection): void => {
    const { client } = connection;
    const dropped = keptCount < maximum ? undefined : connectionToDrop(byClient, client);
    if (dropped !== undefined) {
      close(dropped);
    }
    if (keptCount < maximum) {
      keptCount += 1;
      byClient.set(client, (byClient.get(client) ?? new Set()).add(connection));
      return;
    }
    connection.isExcess = true;
    excess.add(connection);
    const [oldest] = excess;
    if (excess.size > MAX_EXCESS_CONNECTIONS && oldest !== undefined) {
      recorder.add('unread_requests_total', 1, { http_response_status_code: 'none' });
      close(oldest);
    }
  };
  return { add, remove };
}

/**
 * Returns the connection that has been idle longest among those of the clients with the most connections. If none is idle,
 * returns the one that has been busy longest, unless the new connection's client has just as many connections.
 */
function connectionToDrop(
  byClient: ReadonlyMap<string | undefined, ReadonlySet<Connection>>,
  newClient: string | undefined,
): Connection | undefined {
  let most = 0;
  let found: Connection | undefined;
  for (const [client, connections] of byClient) {
    if (client !== undefined && connections.size >= most) {
      found = connections.size > most ? undefined : found;
      most = connections.size;
      for (const connection of connections) {
        found = found === undefined || isDroppedBefore(connection, found) ? connection : found;
      }
    }
  }
  const own = newClient === undefined ? 0 : (byClient.get(newClient)?.size ?? 0);
  return found?.isIdle === false && own >= most ? undefined : found;
}

function isDroppedBefore(connection: Connection, other: Connection): boolean {
  return connection.isIdle === other.isIdle ? connection.since < other.since : connection.isIdle;
}

/** Time for clients to send the rest of their requests, and to read the responses. */
const DRAIN_TIMEOUT_MS = 5000;

/**
 * The length of the kernel's queue of connections that wait to be accepted (listen(2)): Linux's default maximum. If the queue is
 * full, a client waits for a second until TCP retries (RFC 6298, 2.1). Node's default of 511 is less than a burst.
 */
const BACKLOG = 4096;

/**
 * Stops accepting connections without closing any: clients close theirs after the last response, and idle connections time out.
 * Resolves when no connection is left, or when the signal is aborted.
 */
async function leavePort(server: Server, signal: AbortSignal): Promise<void> {
  const left = signal.aborted
    ? undefined
    : Promise.race([once(server, 'close'), once(signal, 'abort')]);
  await stopListening(server);
  await left;
}

/**
 * Stops accepting connections, finishes in-flight requests, and closes idle connections.
 *
 * @param connections the open connections
 * @param noticeMs milliseconds for which new connections are still accepted
 * @param idleMs milliseconds between two sweeps that close idle connections
 */
async function closeServer(
  server: Server,
  connections: ReadonlySet<Connection>,
  noticeMs: number,
  idleMs: number,
): Promise<void> {
  const closed = once(server, 'close');
  const timeout = setTimeout(() => {
    server.closeAllConnections();
  }, DRAIN_TIMEOUT_MS);
  await pause(noticeMs);
  await stopListening(server);
  const sweeping = setInterval(() => void closeIdleConnections(server, connections), idleMs);
  await closed;
  clearTimeout(timeout);
  clearInterval(sweeping);
}

async function stopListening(server: Server): Promise<void> {
  await acceptBacklog(server);
  // http.Server's `close` would close idle connections immediately, and reset those on which a request is arriving.
  NetServer.prototype.close.call(server);
}

/**
 * Accepts the connections in the kernel's queue. Otherwise, they would be reset, and the requests that clients have already sent
 * would be lost. Each turn of the event loop accepts one connection.
 */
async function acceptBacklog(server: Server): Promise<void> {
  let hasAccepted = true;
  const onConnection = () => {
    hasAccepted = true;
  };
  server.on('connection', onConnection);
  for (let turn = 0; hasAccepted && turn <= BACKLOG; turn += 1) {
    hasAccepted = false;
    await turnOfLoop();
  }
  server.off('connection', onConnection);
}

/**
 * Closes idle connections right after arrived data has been read, so that none has an unread request. Node considers a lingering
 * connection idle, too, so nothing is closed while one lingers, which takes a second at most.
 */
async function closeIdleConnections(
  server: Server,
  connections: ReadonlySet<Connection>,
): Promise<void> {
  await turnOfLoop();
  if (!connections.values().some(({ isLingering }) => isLingering)) {
    server.closeIdleConnections();
  }
}

/**
 * Checks that a port is free, before any work starts that would be wasted if it isn't. Another process may still take the port
 * before `listen` does.
 *
 * @throws StartupFailure, as `listen` does
 */
export async function expectFreePort(address: {
  readonly host: string;
  readonly port: number;
}): Promise<void> {
  const server = new NetServer().listen(address.port, address.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenFailure(error, address);
  }
  server.close();
  await once(server, 'close');
}
