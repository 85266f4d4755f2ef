import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';

/** The migrated database that those of the tests are copied from. */
export const TEMPLATE = 'template_animals';

/** By their URLs: a process creates many databases, and a connection costs as much as one. */
const connections = new Map<string, Promise<Client>>();

function connectionTo(url: string): Promise<Client> {
  const open = connections.get(url);
  if (open !== undefined) return open;
  const connecting = connect(url);
  connections.set(url, connecting);
  return connecting;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  const forget = () => connections.delete(url);
  client.on('error', forget);
  client.on('end', forget);
  try {
    await client.connect();
  } catch (error) {
    forget();
    throw error;
  }
  client.unref();
  return client;
}

/**
 * Creates a database on the PostgreSQL of `url`, by default an empty one with a name of its own.
 *
 * @returns its URL
 */
export async function createDatabase(
  url: string,
  { name = `test_${randomBytes(8).toString('hex')}`, template = 'template1' } = {},
): Promise<string> {
  const client = await connectionTo(url);
  // Copied file by file, it costs half of what its pages in the log would.
  const create = `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(template)} STRATEGY file_copy`;
  await client.query(create);
  // On Citus each node needs it. Templates have the extension, which knows the nodes.
  const { rowCount } = await client.query("SELECT WHERE to_regclass('pg_dist_node') IS NOT NULL");
  if (rowCount !== 0) await client.query('SELECT run_command_on_workers($1)', [create]);
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}
