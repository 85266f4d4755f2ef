import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';

/** The migrated database that those of the tests are copied from. */
export const TEMPLATE = 'template_animals';

/** By the URLs of PostgreSQL servers: a process creates many databases, and a connection costs as much as one. */
const connections = new Map<string, Promise<Client>>();
const turns = new Map<string, Promise<unknown>>();

/** Runs what has statements for a server, once all before it have run: a connection executes one at a time. */
function inTurn(url: string, run: (client: Client) => Promise<void>): Promise<void> {
  const before = turns.get(url) ?? Promise.resolve();
  const turn = before.then(async () => run(await connectionTo(url)));
  turns.set(
    url,
    turn.catch(() => undefined),
  );
  return turn;
}

function connectionTo(url: string): Promise<Client> {
  const connection = connections.get(url) ?? connect(url);
  connections.set(url, connection);
  return connection;
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
  // Copied file by file, it costs half of what its pages in the log would.
  const create = `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(template)} STRATEGY file_copy`;
  await inTurn(url, async (client) => {
    await client.query(create);
    // On Citus each node needs it. Templates have the extension, which knows the nodes.
    const { rowCount } = await client.query("SELECT WHERE to_regclass('pg_dist_node') IS NOT NULL");
    if (rowCount !== 0) await client.query('SELECT run_command_on_workers($1)', [create]);
  });
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}
