import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';

/** The migrated database that those of the tests are copied from. */
export const TEMPLATE = 'template_animals';

/**
 * Creates a database on the PostgreSQL of `url`, by default an empty one with a name of its own.
 *
 * @returns its URL
 */
export async function createDatabase(
  url: string,
  { name = `test_${randomBytes(8).toString('hex')}`, template = 'template1' } = {},
): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const create = `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(template)}`;
    await client.query(create);
    // On Citus each node needs it. Templates have the extension, which knows the nodes.
    const { rowCount } = await client.query("SELECT WHERE to_regclass('pg_dist_node') IS NOT NULL");
    if (rowCount !== 0) await client.query('SELECT run_command_on_workers($1)', [create]);
  } finally {
    await client.end();
  }
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}
