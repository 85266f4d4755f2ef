import { Socket } from 'node:net';
import { Pool, type ClientConfig } from 'pg';
import { log, outsideRequest } from '@gateway/log/log';
import { recorder } from '@gateway/telemetry/recorder';
import type { BackendReaper } from './backend-reaper.ts';
import { START_TIMEOUT_MS } from './connection-failure.ts';
import { connectionOptions } from './connection-options.ts';
import { createSlots } from './connection-slots.ts';
import { PooledClient } from './pooled-client.ts';

/** Milliseconds that a client of the database waits. */
export interface DatabaseTimeouts {
  /** For a connection, be it made or given back by another. */
  readonly connection: number;
  readonly statement: number;
}

/**
 * Together less than 2 s. A request may need several statements, one after the other: how long it waits in all is
 * bounded elsewhere (packages/graphql-execution/src/deadline.ts).
 */
export const REQUEST_TIMEOUTS: DatabaseTimeouts = { connection: 800, statement: 800 };

export interface PoolOptions {
  /** For metrics. */
  readonly name: string;
  /** Connections, at the most, those included whose end the server has not confirmed. */
  readonly max: number;
  readonly timeouts: DatabaseTimeouts;
  /** What the server calls its connections, unless the URL says otherwise. */
  readonly applicationName: string;
  readonly reaper: BackendReaper;
}

/**
 * Connections to the database of `url`, made when they are needed, and again after it was away. A statement that has run
 * out of time is cancelled, and its connection closed.
 */
export function createPool(
  url: string,
  { name, max, timeouts, applicationName, reaper }: PoolOptions,
): Pool {
  const slots = createSlots(max);
  const pool = new Pool({
    ...connectionOptions(url),
    fallback_application_name: applicationName,
    Client: class extends PooledClient {
      constructor(config?: ClientConfig) {
        super(config, { slots, reaper });
      }
    },
    // Kept while idle, so that a request after a pause doesn't wait for a connection.
    min: 1,
    max,
    connectionTimeoutMillis: timeouts.connection,
    // The server gives up first, and frees what it holds. The client's own clock is for a commit that waits, which
    // statement_timeout leaves out, and for a server that is frozen or unreachable.
    statement_timeout: timeouts.statement - 100,
    query_timeout: timeouts.statement,
    keepAlive: true,
  });
  // It drops a connection that fails while idle; whoever needs one next gets a new one.
  pool.on('error', (error) => {
    // A connection is made when a request needs it, and outlives that.
    outsideRequest(() => {
      log.warn({ reason: error.message }, 'idle database connection lost');
    });
  });
  recorder.observePool(name, pool);
  return pool;
}

/**
 * Makes a connection that requests will find there. It may take as long as a start may, unlike those of requests.
 *
 * @param stopped gives it up
 */
export async function warmUp(pool: Pool, stopped?: AbortSignal): Promise<void> {
  stopped?.throwIfAborted();
  const { options } = pool;
  let socket: Socket | undefined;
  // The pool reads them as it begins to connect, so no other connection goes by these values.
  const { connectionTimeoutMillis } = options;
  options.connectionTimeoutMillis = START_TIMEOUT_MS;
  options.stream = () => (socket = new Socket());
  const connecting = pool.connect();
  options.connectionTimeoutMillis = connectionTimeoutMillis;
  delete options.stream;
  const giveUp = () => socket?.destroy();
  stopped?.addEventListener('abort', giveUp);
  try {
    (await connecting).release();
  } finally {
    stopped?.removeEventListener('abort', giveUp);
  }
}
