import { EMBEDDED, MIGRATIONS } from './store-database.ts';
import type { TestProject } from 'vitest/node';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { applyMigrations } from '@store-gateway/local/migrations';
import { Client } from 'pg';
import { createDatabase, TEMPLATE } from './database.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Starts one PostgreSQL for all test files, with a migrated database that the tests' databases are copied from. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await temporaryDirectory();
  const postgres = await joinEmbeddedPostgres(directory.path, EMBEDDED);
  const teardown = async () => {
    await postgres.leave();
    await directory[Symbol.asyncDispose]();
  };
  try {
    await switchOffUnneeded(postgres.url);
    await applyMigrations(await createDatabase(postgres.url, { name: TEMPLATE }), MIGRATIONS);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('postgresUrl', postgres.url);
  project.provide('isSharded', false);
  return teardown;
}

/**
 * The cluster is deleted after the run, so it needs no durability; crash tests use their own servers. Autovacuum would
 * start several processes a second, because there are hundreds of databases.
 */
const UNNEEDED = ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum'];

async function switchOffUnneeded(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const setting of UNNEEDED) await client.query(`ALTER SYSTEM SET ${setting} = off`);
    // Poolers need the same time zone wherever the tests run.
    await client.query(`ALTER SYSTEM SET TimeZone = 'UTC'`);
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
}
