import { randomBytes } from 'node:crypto';
import { escapeIdentifier, Pool } from 'pg';

/** The migrated database that the tests' databases are copied from. */
export const TEMPLATE = 'template_animals';

/**
 * One pool with a single connection for each PostgreSQL server. They live as long as the process, because opening a
 * connection costs as much as creating a database.
 */
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

/** Creates a database on the PostgreSQL server at `url`, by default an empty one with a unique name. @returns its URL */
export async function createDatabase(
  url: string,
  { name = `test_${randomBytes(8).toString('hex')}`, template = 'template1', locale = '' } = {},
): Promise<string> {
  // Copying files takes half the CPU time of logging each page in the WAL.
  const create = `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(template)} STRATEGY file_copy ${locale}`;
  const pool = poolOf(url);
  await pool.query(create);
  // On Citus, every node needs the database. Templates have the extension, which knows the nodes.
  const { rowCount } = await pool.query("SELECT WHERE to_regclass('pg_dist_node') IS NOT NULL");
  if (rowCount !== 0) await pool.query('SELECT run_command_on_workers($1)', [create]);
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}
