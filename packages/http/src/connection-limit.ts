import { log, recorder } from '@store-gateway/ops';
import type { Connection } from './connection.ts';

/** Connections accepted beyond the limit, so that their requests can be rejected; more are closed without a response. */
const MAX_EXCESS_CONNECTIONS = 100;

/** Minimum time between two log lines about closed connections. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Keeps at most `maximum` connections, and a few more whose requests get 503. At the limit, a new connection replaces one of a
 * client with the most connections (longest queue drop), if possible; a trusted proxy's connections are never dropped.
 */
export function createConnectionLimit(maximum: number) {
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
    const dropped = keptCount < maximum ? undefined : leastWanted(byClient, client);
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
 * Returns the connection that has been idle longest among those of the clients with the most connections. If none is idle, it
 * is the one that has been busy longest, unless the new connection's client has as many.
 */
function leastWanted(
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
        found = found === undefined || isLessWanted(connection, found) ? connection : found;
      }
    }
  }
  const own = newClient === undefined ? 0 : (byClient.get(newClient)?.size ?? 0);
  return found?.isIdle === false && own >= most ? undefined : found;
}

function isLessWanted(connection: Connection, other: Connection): boolean {
  return connection.isIdle === other.isIdle ? connection.since < other.since : connection.isIdle;
}
