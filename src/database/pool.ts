import { Pool } from 'pg';
import { log, onNobodysBehalf } from '../log.ts';
import { measurements } from '../metrics/measurements.ts';

/**
 * Milliseconds that a statement of a request may take, and as many that it may wait for a connection: each is over
 * in less than 2 s. A request may need several, one after the other: how long it waits in all is bounded elsewhere
 * (src/execution/in-time.ts).
 */
export const REQUEST_STATEMENT_MS = 800;

/**
 * So many connections to a database at the most, made when they are needed, and again after it was away.
 *
 * @param name for metrics
 * @param timeoutMs for a connection to be made, and for a statement
 */
export function createPool(
  connectionString: string,
  name: string,
  max: number,
  timeoutMs: number,
): Pool {
  const pool = new Pool({
    connectionString,
    max,
    connectionTimeoutMillis: timeoutMs,
    // The server gives up first, and frees what it holds; the client's own clock is for a server that
    // is frozen or unreachable.
    statement_timeout: timeoutMs - 100,
    query_timeout: timeoutMs,
    keepAlive: true,
    // Each of our statements has one good plan. Left to itself the server would make a new one for each
    // execution of those that take arrays, which takes longer than to execute them.
    options: '-c plan_cache_mode=force_generic_plan',
  });
  // It drops a connection that fails while idle; whoever needs one next gets a new one.
  pool.on('error', (error) => {
    // A connection is made when a request needs it, and outlives that.
    onNobodysBehalf(() => {
      log.warn({ reason: error.message }, 'idle database connection lost');
    });
  });
  measurements?.watchPool(name, pool);
  return pool;
}
