import { type ClientConfig, DatabaseError, type Pool, type Client } from 'pg';
import './pg-internals.ts';
import type { DatabaseUrl } from './database-url.ts';

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

/**
 * SQLSTATEs of a server that shuts down, has crashed or starts (57P01 to 57P03), or takes no writes any more: another one
 * may have taken its place. 55000 is what a read behind a pooler finds on a standby.
 */
const LOSSES = /^(?:57P0[1-3]|25006|55000)$/;

/**
 * Has a pool drop its idle connections once a statement shows that the server is lost, so that not one request after the
 * other finds out on a connection of its own.
 */
export function dropIdleOnLoss(pool: Pool): void {
  pool.on('release', (error: unknown) => {
    if (error instanceof DatabaseError && LOSSES.test(error.code ?? '')) {
      dropIdle(pool);
    }
  });
}

/** Ends the connections of a pool that aren't in use. */
export function dropIdle(pool: Pool): void {
  // oxlint-disable no-underscore-dangle -- pg's own names
  const idle = pool._idle.map(({ client }) => client);
  for (const client of idle) {
    pool._remove(client);
  }
  // oxlint-enable no-underscore-dangle
}

/** Of the servers that a pool connects to: a replica may lag behind its primary. */
export type ServerRole = 'primary' | 'replica';

/** What PostgreSQL 14 and newer report when a session begins, and when it changes: to know it costs no statement. */
const REASONS = {
  in_hot_standby: 'the server is a standby',
  default_transaction_read_only: 'the server is read-only',
} as const satisfies Readonly<Record<Refused, string>>;

/** What a server reports that makes it unsuitable: that it is a standby, or read-only. */
export type Refused = 'in_hot_standby' | 'default_transaction_read_only';

/** The server is not of the kind that is wanted: what a standby has may be older than what was acknowledged. */
export class UnsuitableServerError extends Error {
  override readonly name = 'UnsuitableServerError';
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(REASONS[refused]);
    this.refused = refused;
  }
}

/** Whether the error of a statement says that it found a standby. */
export function isOfStandby(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.cause instanceof UnsuitableServerError &&
    error.cause.refused === 'in_hot_standby'
  );
}

/** Which servers a pool refuses. https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS */
export function refusedServers(role: ServerRole, url: DatabaseUrl): readonly Refused[] {
  if (role === 'replica') return [];
  return url.get('target_session_attrs') === 'read-write'
    ? ['in_hot_standby', 'default_transaction_read_only']
    : ['in_hot_standby'];
}

/** Calls back whenever a client's server reports to be one that is refused. */
export function watchServer(
  { connection }: Client,
  refused: readonly Refused[],
  onRefused: (error: UnsuitableServerError) => void,
): void {
  connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    const parameter = refused.find((name) => name === parameterName);
    if (parameter !== undefined && parameterValue === 'on') {
      onRefused(new UnsuitableServerError(parameter));
    }
  });
}

/** https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-ASYNC */
interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}
