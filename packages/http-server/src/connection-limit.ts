import type { Socket } from 'node:net';
import { log } from '@gateway/log/log';
import { recorder } from '@gateway/telemetry/recorder';
import type { Connection } from './connection.ts';

/** Connections accepted beyond the limit, so that their requests can be rejected; more are closed without a response. */
const MAX_EXCESS_CONNECTIONS = 100;

/** Between two log lines about closed connections. */
const LOG_INTERVAL_MS = 60_000;

type ByClient = Map<string, Set<Connection>>;

/**
 * Keeps at most `maximum` connections, and a few more to tell them so. A new one takes the place of one from the longest
 * queue (longest queue drop), if there is any.
 *
 * @param clientOf whose connection it is; undefined for a proxy's, which is many clients' and never dropped
 */
export function createConnectionLimit(
  maximum: number,
  clientOf: (socket: Socket) => string | undefined,
) {
  recorder.limitSet('connections', maximum);
  const kept = new Map<Connection, string | undefined>();
  const excess = new Set<Connection>();
  const byClient: ByClient = new Map();
  let loggedAt = -Infinity;

  const remove = (connection: Connection): void => {
    const client = kept.get(connection) ?? '';
    const siblings = byClient.get(client);
    kept.delete(connection);
    excess.delete(connection);
    siblings?.delete(connection);
    if (siblings?.size === 0) {
      byClient.delete(client);
    }
  };
  const close = (connection: Connection): void => {
    const now = performance.now();
    if (now - loggedAt > LOG_INTERVAL_MS) {
      loggedAt = now;
      log.warn({ maximum }, 'too many connections: some are closed');
    }
    remove(connection);
    connection.socket.destroy();
  };
  const add = (connection: Connection): void => {
    const client = clientOf(connection.socket);
    const dropped = kept.size < maximum ? undefined : leastWanted(byClient, client);
    if (dropped !== undefined) {
      close(dropped);
    }
    if (kept.size < maximum) {
      kept.set(connection, client);
      if (client !== undefined) {
        byClient.set(client, (byClient.get(client) ?? new Set()).add(connection));
      }
      return;
    }
    connection.isExcess = true;
    excess.add(connection);
    const [oldest] = excess;
    if (excess.size > MAX_EXCESS_CONNECTIONS && oldest !== undefined) {
      recorder.rejectedBeforeParsing(undefined);
      close(oldest);
    }
  };
  return { add, remove };
}

/**
 * Of the clients with most connections, the connection that has been idle for longest; if none is, the one that has been
 * busy for longest, unless the new one's client has as many.
 */
function leastWanted(byClient: ByClient, client: string | undefined): Connection | undefined {
  let most = 0;
  for (const { size } of byClient.values()) {
    most = Math.max(most, size);
  }
  let found: Connection | undefined;
  for (const connections of byClient.values()) {
    for (const connection of connections.size === most ? connections : []) {
      if (found === undefined || isLessWanted(connection, found)) {
        found = connection;
      }
    }
  }
  const isSpared =
    found !== undefined && !found.isIdle && (byClient.get(client ?? '')?.size ?? 0) >= most;
  return isSpared ? undefined : found;
}

function isLessWanted(connection: Connection, other: Connection): boolean {
  return connection.isIdle === other.isIdle ? connection.since < other.since : connection.isIdle;
}
