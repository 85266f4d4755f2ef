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
  refusedServers,
  type ServerRole,
} from './servers-in-turn.ts';
import { START_TIMEOUT_MS } from './start-session.ts';

/** How long a pool waits, in milliseconds. */
export interface DatabaseTimeouts {
  /** Maximum wait for a connection, whether it is new or released by another statement. */
  readonly connection: number;
  /** Maximum time of a statement, its commit included. */
  readonly statement: number;
}

/** Together less than 2 s; a request that needs several statements has a deadline besides. */
export const REQUEST_TIMEOUTS: DatabaseTimeouts = { connection: 800, statement: 800 };

/** How a pool connects, and what bounds it. */
export interface PoolOptions {
  /** For metrics. */
  readonly name: string;
  /** Maximum of connections, including those whose end the server has not confirmed; by default 10. */
  readonly max?: number;
  /** By default `REQUEST_TIMEOUTS`. */
  readonly timeouts?: DatabaseTimeouts;
  /** What the server calls its connections, unless the URL says otherwise; by default the pool's name. */
  readonly applicationName?: string;
  /** Several pools of an application may have one; by default the pool has one of its own. */
  readonly reaper?: BackendReaper;
  /** By default only a primary is connected to: reads on a standby may be stale. */
  readonly role?: ServerRole | undefined;
  /** What `url` leads to, if that is a pooler. */
  readonly pooler?: Pooler | undefined;
  /** Settings of each session besides, as PostgreSQL's `options` are; without effect behind a pooler. */
  readonly settings?: string | undefined;
  /** Rewrites the SQL of each statement for this database; by default statements are sent unchanged. */
  readonly rename?: ((sql: string) => string) | undefined;
}

/**
 * Connections to the database of `url`, made when needed, and again after it was away. A statement that times out is
 * cancelled, and its connection closed.
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
  // What a pooler reports is what it once heard (pgbouncer/pgbouncer#859).
  const refused = pooler === undefined ? refusedServers(role, parseDatabaseUrl(url)) : [];
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
    // Kept while idle, so that a request after a pause doesn't wait for a connection.
    min: 1,
    max,
    // Replicas are asked several statements at once.
    pipeline: role === 'replica',
    connectionTimeoutMillis: timeouts.connection,
    // The server gives up first, and frees what it holds. The client's own timeout is for a commit that waits, which
    // statement_timeout leaves out, and for a server that is frozen or unreachable; and behind a pooler for all.
    statement_timeout: pooler === undefined && timeouts.statement - 100,
    query_timeout: timeouts.statement,
    keepAlive: true,
  });
  if (servers.length > 1) {
    connectInTurn(pool, servers);
  }
  dropIdleOnLoss(pool);
  // The pool drops a connection that fails while idle. It outlives the request that it was made for.
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

/** Replaces the connections of a pool by those with another name and other settings. Statements in flight finish first. */
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
 * Makes a connection ahead of requests, with the timeout of a start.
 *
 * @param stopped gives it up
 */
export async function warmUp(pool: Pool, stopped?: AbortSignal): Promise<void> {
  stopped?.throwIfAborted();
  const { options } = pool;
  // The pool reads it as it begins to connect, so it applies to this connection alone.
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
