import { type ClientConfig, DatabaseError, type Pool, type Client } from 'pg';
import './pg-internals.ts';
import type { DatabaseUrl } from './database-url.ts';

/** For each list of servers, the index of the one that accepted this process's last connection. */
const lastTaken = new Map<string, number>();

/**
 * Determines the order in which several servers are tried. It is libpq's order, but starts with the server that accepted the last
 * connection, so that a dead server delays only one connection.
 */
export function serverOrder(servers: readonly ClientConfig[]) {
  const list = JSON.stringify(servers.map(({ host, port }) => [host, port]));
  return {
    /** The indexes of all servers, in the order to try. */
    indexes: (): number[] => {
      const first = lastTaken.get(list) ?? 0;
      return servers.map((_, index) => (first + index) % servers.length);
    },
    /** Records that a server accepted a connection. */
    connected: (index: number): void => {
      lastTaken.set(list, index);
    },
  };
}

/**
 * Makes a pool connect to the first of several servers that accepts the connection, as libpq does
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS). All attempts share one connection
 * timeout.
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
      // newClient reads these options before it returns.
      Object.assign(options, { host, port, ssl, sslnegotiation });
      newClient({
        get timedOut() {
          return waiting.timedOut;
        },
        callback: (error, client, release) => {
          if (error === undefined) {
            order.connected(index);
          } else if (others.length > 0 && !pool.ending && mayWorkElsewhere(error)) {
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

/** Whether a different server may accept the connection after this error. As in libpq, a wrong password is final. */
export function mayWorkElsewhere(error: unknown): boolean {
  return !(error instanceof DatabaseError) || /^(?:08|57P)/.test(error.code ?? '');
}

/**
 * SQLSTATEs of a server that is shutting down, has crashed or is starting (57P01 to 57P03), or no longer accepts writes: a
 * different server may have replaced it. A read behind a pooler gets 55000 on a standby.
 */
const LOSSES = /^(?:57P0[1-3]|25006|55000)$/;

/**
 * Makes a pool drop its idle connections when a statement shows that the server is lost. Otherwise, each idle connection would
 * make one more request fail.
 */
export function dropIdleOnLoss(pool: Pool): void {
  pool.on('release', (error: unknown) => {
    if (error instanceof DatabaseError && LOSSES.test(error.code ?? '')) {
      dropIdle(pool);
    }
  });
}

/** Closes a pool's idle connections. */
export function dropIdle(pool: Pool): void {
  // oxlint-disable no-underscore-dangle -- pg's own names
  const idle = pool._idle.map(({ client }) => client);
  for (const client of idle) {
    pool._remove(client);
  }
  // oxlint-enable no-underscore-dangle
}

/** The role of a pool's servers. A replica may lag behind its primary. */
export type ServerRole = 'primary' | 'replica';

/** Parameters that PostgreSQL 14 and newer report without a query, when a session begins and whenever they change. */
const REASONS = {
  in_hot_standby: 'the server is a standby',
  default_transaction_read_only: 'the server is read-only',
} as const satisfies Readonly<Record<Refused, string>>;

/** The parameter by which a server reports that it is unsuitable, because it is a standby or read-only. */
export type Refused = 'in_hot_standby' | 'default_transaction_read_only';

/** The server is a standby or read-only, and the pool rejects it. A standby may lack acknowledged writes. */
export class UnsuitableServerError extends Error {
  override readonly name = 'UnsuitableServerError';
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(REASONS[refused]);
    this.refused = refused;
  }
}

/** Whether a statement failed because the server is a standby. */
export function isOfStandby(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.cause instanceof UnsuitableServerError &&
    error.cause.refused === 'in_hot_standby'
  );
}

/**
 * Returns the parameters that make a pool reject a server.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS
 */
export function unsuitableServers(role: ServerRole, url: DatabaseUrl): readonly Refused[] {
  if (role === 'replica') return [];
  return url.get('target_session_attrs') === 'read-write'
    ? ['in_hot_standby', 'default_transaction_read_only']
    : ['in_hot_standby'];
}

/** Calls back when a client's server reports that one of the rejected parameters is on. */
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
