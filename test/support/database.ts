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
    await client.query(
      `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(template)}`,
    );
  } finally {
    await client.end();
  }
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}
