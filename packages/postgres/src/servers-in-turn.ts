import { type ClientConfig, DatabaseError, type Pool } from 'pg';
import './pg-internals.ts';

/** Of each list of servers, the index of the one that took the last connection of this process. */
const lastTaken = new Map<string, number>();

/**
 * In which order to try several servers: as libpq does, but beginning with the one that took the last connection. So a
 * dead one is waited for once, and not by each connection.
 */
export function serverOrder(servers: readonly ClientConfig[]) {
  const list = JSON.stringify(servers.map(({ host, port }) => [host, port]));
  return {
    /** Indexes of all of them. */
    indexes: (): number[] => {
      const first = lastTaken.get(list) ?? 0;
      return servers.map((_, index) => (first + index) % servers.length);
    },
    /** Notes that a server has taken a connection. */
    connected: (index: number): void => {
      lastTaken.set(list, index);
    },
  };
}

/**
 * Has a pool connect to the first of several servers that takes the connection, as libpq does
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS). All of them share the timeout of a
 * connection.
 */
export function connectInTurn(pool: Pool, servers: readonly ClientConfig[]): void {
  const { options } = pool;
  const newClient = pool.newClient.bind(pool);
  const order = serverOrder(servers);
  pool.newClient = (waiting) => {
    const { connectionTimeoutMillis: timeout = 0 } = options;
    const deadline = performance.now() + timeout;
    const attempt = ([index = 0, ...others]: readonly number[]): void => {
      const share = (deadline - performance.now()) / (others.length + 1);
      options.connectionTimeoutMillis = Math.max(1, share);
      const { host, port, ssl, sslnegotiation } = servers[index] ?? {};
      // The pool reads them before it returns.
      Object.assign(options, { host, port, ssl, sslnegotiation });
      newClient({
        get timedOut() {
          return waiting.timedOut;
        },
        callback: (error, client, release) => {
          if (error === undefined) {
            order.connected(index);
          } else if (others.length > 0 && !pool.ending && mayBeAnothers(error)) {
            attempt(others);
            return;
          }
          waiting.callback(error, client, release);
        },
      });
      options.connectionTimeoutMillis = timeout;
    };
    attempt(order.indexes());
  };
}

/** Whether another server may take a connection that one has not. To libpq too, a wrong password is final. */
export function mayBeAnothers(error: unknown): boolean {
  return !(error instanceof DatabaseError) || /^(?:08|57P)/.test(error.code ?? '');
}
