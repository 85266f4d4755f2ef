import { log, outsideRequest, recorder } from '@store-gateway/ops';
import type { ClientConfig, Pool } from 'pg';
import { createBackendReaper, type BackendReaper } from './backend-reaper.ts';
import { connectionOptions } from './connection-options.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { LendingPool } from './lending-pool.ts';
import { expectInternals } from './pg-internals.ts';
import { createSlots, PooledClient } from './pooled-client.ts';
import { type Pooler, poolersReaper, withoutSession } from './pooler.ts';
import {
  dropIdle,
  dropIdleOnLoss,
  connectInTurn,
  unsuitableServers,
  type ServerRole,
} from './servers-in-turn.ts';
import { START_TIMEOUT_MS } from './start-session.ts';

/** The timeouts of a pool, in milliseconds. */
export interface DatabaseTimeouts {
  /** Maximum wait for a connection, whether it is new or released by another statement. */
  readonly connection: number;
  /** Maximum time for a statement, including its commit. */
  readonly statement: number;
}

/** The timeouts during requests, less than 2 s in total. A request that needs several statements also has a deadline. */
export const REQUEST_TIMEOUTS: DatabaseTimeouts = { connection: 800, statement: 800 };

/** Defines how a pool connects, and its limits. */
export interface PoolOptions {
  /** The pool's name in metrics. */
  readonly name: string;
  /**
   * Maximum number of connections, including closed connections until the server has confirmed that their backends have ended.
   * Defaults to 10.
   */
  readonly max?: number;
  /** By default `REQUEST_TIMEOUTS`. */
  readonly timeouts?: DatabaseTimeouts;
  /** The application_name of its connections, unless the URL has one. Defaults to the pool's name. */
  readonly applicationName?: string;
  /** May be shared by several pools. By default, the pool has its own. */
  readonly reaper?: BackendReaper;
  /** With `primary`, which is the default, the pool rejects standbys, because their reads may be stale. */
  readonly role?: ServerRole | undefined;
  /** The pooler that `url` connects to, if any. */
  readonly pooler?: Pooler | undefined;
  /** Additional settings for each session, in the format of PostgreSQL's `options`. They have no effect behind a pooler. */
  readonly settings?: string | undefined;
  /** Rewrites the SQL of each statement for this database. By default, statements are sent unchanged. */
  readonly rename?: ((sql: string) => string) | undefined;
}

/**
 * Creates a pool of connections to the database of `url`. Connections are opened on demand, and reopened after an outage. A
 * statement that times out is cancelled, and its connection is closed.
 */
export function createPool(url: string, options: PoolOptions): Pool {
  expectInternals();
  const {
    name,
    max = 10,
    timeouts = REQUEST_TIMEOUTS,
    applicationName = name,
    role = 'primary',
    pooler,
    settings,
    rename,
  } = options;
  const slots = createSlots(max);
  const reaper = pooler === undefined ? (options.reaper ?? createBackendReaper()) : poolersReaper;
  const servers = connectionOptions(url, settingsOf(pooler), settings);
  // A pooler may report outdated parameters (pgbouncer/pgbouncer#859).
  const refused = pooler === undefined ? unsuitableServers(role, parseDatabaseUrl(url)) : [];
  const pool = new LendingPool({
    ...servers[0],
    fallback_application_name: applicationName,
    Client: class extends PooledClient {
      constructor(config: ClientConfig = {}) {
        super(config, { slots, reaper, refused, rename });
      }
    },
    onConnect: (client) => {
      if (client instanceof PooledClient) {
        client.expectSuitable();
      }
    },
    // One idle connection stays open, so a request after a pause doesn't wait for a new one.
    min: 1,
    max,
    // Replicas get several statements at once.
    pipeline: role === 'replica',
    connectionTimeoutMillis: timeouts.connection,
    // The server times out first, and releases its locks. The client's own timeout covers a commit that waits, to which
    // statement_timeout doesn't apply, and a server that is frozen or unreachable. Behind a pooler, it is the only timeout.
    statement_timeout: pooler === undefined && timeouts.statement - 100,
    query_timeout: timeouts.statement,
    keepAlive: true,
  });
  if (servers.length > 1) {
    connectInTurn(pool, servers);
  }
  dropIdleOnLoss(pool);
  // The pool drops a connection that fails while idle. It may have been opened for a request that ended long ago.
  pool.on('error', (error) => {
    outsideRequest(() => {
      log.warn({ reason: error.message }, 'idle database connection lost');
    });
  });
  const labels = { db_client_connection_pool_name: name };
  recorder.observe('db_client_connections', () => {
    const { idleCount, totalCount } = pool;
    return [
      [idleCount, { ...labels, db_client_connection_state: 'idle' }],
      [totalCount - idleCount, { ...labels, db_client_connection_state: 'used' }],
    ];
  });
  recorder.observe('db_client_connection_max', () => [[max, labels]]);
  recorder.observe('db_client_connection_pending_requests', () => [[pool.waitingCount, labels]]);
  return pooler === undefined ? pool : withoutSession(pool, pooler, role);
}

function settingsOf(pooler: Pooler | undefined) {
  return pooler === undefined ? 'ours' : 'none';
}

/**
 * Replaces a pool's connections with new ones that have a different name and different settings. Statements in flight finish
 * first.
 */
export function renewConnections(
  pool: Pool,
  url: string,
  {
    applicationName,
    pooler,
    settings,
  }: Pick<PoolOptions, 'applicationName' | 'pooler' | 'settings'>,
): void {
  const [{ options } = {}] = connectionOptions(url, settingsOf(pooler), settings);
  Object.assign(pool.options, { options, fallback_application_name: applicationName });
  // oxlint-disable no-underscore-dangle -- pg's own names
  for (const client of pool._clients) {
    pool._expired.add(client);
  }
  // oxlint-enable no-underscore-dangle
  dropIdle(pool);
}

/**
 * Opens a connection before the first request, with the startup timeout.
 *
 * @param stopped aborts the attempt
 */
export async function warmUp(pool: Pool, stopped?: AbortSignal): Promise<void> {
  stopped?.throwIfAborted();
  const { options } = pool;
  // The pool reads the timeout when it begins to connect, so the new value applies only to this connection.
  const { connectionTimeoutMillis } = options;
  options.connectionTimeoutMillis = START_TIMEOUT_MS;
  const connecting = pool.connect();
  options.connectionTimeoutMillis = connectionTimeoutMillis;
  const giveUp = () => {
    // oxlint-disable-next-line no-underscore-dangle -- pg's own name
    for (const { connection } of pool._clients) {
      connection.stream.destroy();
    }
  };
  stopped?.addEventListener('abort', giveUp);
  try {
    (await connecting).release();
  } finally {
    stopped?.removeEventListener('abort', giveUp);
  }
}
