import { randomBytes } from 'node:crypto';
import { escapeIdentifier, Pool } from 'pg';

/** The migrated database that those of the tests are copied from. */
export const TEMPLATE = 'template_animals';

/** A pool with one connection for each PostgreSQL server, which lives as long as the process: opening one costs as much as a database. */
const pools = new Map<string, Pool>();

function poolOf(url: string): Pool {
  const open = pools.get(url);
  if (open !== undefined) return open;
  const options = { max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true };
  const pool = new Pool({ connectionString: url, ...options });
  // The server stops before the process ends. A later call connects again.
  pool.on('error', () => undefined);
  pools.set(url, pool);
  return pool;
}

/**
 * Creates a database on the PostgreSQL of `url`, by default an empty one with a name of its own.
 *
 * @returns its URL
 */
export async function createDatabase(
  url: string,
  { name = `test_${randomBytes(8).toString('hex')}`, template = 'template1', locale = '' } = {},
): Promise<string> {
  // Copying files takes half the CPU time of logging each page in the WAL.
  const create = `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(template)} STRATEGY file_copy ${locale}`;
  const pool = poolOf(url);
  await pool.query(create);
  // On Citus each node needs it. Templates have the extension, which knows the nodes.
  const { rowCount } = await pool.query("SELECT WHERE to_regclass('pg_dist_node') IS NOT NULL");
  if (rowCount !== 0) await pool.query('SELECT run_command_on_workers($1)', [create]);
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}
