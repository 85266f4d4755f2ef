import { readdir, cp, rm } from 'node:fs/promises';
import type { Client } from 'pg';
import { expect, inject } from 'vitest';
import { connectClient } from './connect-client.ts';
import { createDatabase } from './database.ts';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyMigrations } from '@store-gateway/local/migrations';
import { MIGRATIONS } from './store-database.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export const FOLDER = new URL('../../prisma/migrations/', import.meta.url);
/** The names of the store's migrations, oldest first. */
export const NAMES = await namesIn(FOLDER);

/** The names of all migrations, in order. */
export const ALL_NAMES = [
  ...NAMES,
  ...(await namesIn(new URL('../../packages/gateway/migrations/', import.meta.url))),
];

async function namesIn(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{14}_/.test(name)).toSorted();
}

export const [FIRST_NAME = ''] = NAMES;

/** Changes to a migrated database that make it incompatible with this version, and the resulting errors. */
export const FOREIGN_HISTORIES = [
  {
    what: 'unknown',
    sql: `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('next', '', '99991231235959_next', now())`,
    message:
      'The database has migrations that this version does not include (99991231235959_next); start the version that applied them, or a newer one.',
  },
  {
    what: 'changed',
    sql: `UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = '${FIRST_NAME}'`,
    message: `Migrations were changed after they had been applied to this database (${FIRST_NAME}); restore their files and put the change into a new migration.`,
  },
] as const;

/** Acquires the lock under which databases are migrated. */
export const LOCK = 'SELECT pg_advisory_lock(72707369)';
export const UNLOCK = 'SELECT pg_advisory_unlock(72707369)';

/** Resolves when this many sessions wait for that lock in a database. */
export async function waitingForLock(client: Client, count: number): Promise<void> {
  const waiting = `
    SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
    WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`;
  await expect.poll(() => client.query(waiting)).toMatchObject({ rowCount: count });
}

/** Creates a database, by default an empty one, and opens a connection to it until the test is over. */
export async function database(template?: string) {
  const url = await createDatabase(
    inject('postgresUrl'),
    template === undefined ? {} : { template },
  );
  return { url, client: await connectClient(url) };
}

/** Makes the first migration fail. */
export async function refuseAnimals(client: Client): Promise<void> {
  await client.query(`
    CREATE SCHEMA hidden;
    CREATE FUNCTION hidden.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF to_regclass('public.pets') IS NOT NULL THEN
        RAISE EXCEPTION 'no room for animals' USING DETAIL = 'Not one.';
      END IF;
    END $$;
    CREATE EVENT TRIGGER refuse ON ddl_command_end EXECUTE FUNCTION hidden.refuse();
  `);
}

/** The migration with which a new animal store hands the gateway's tables over to the gateway. */
export const LEAVING = NAMES.find((name) => name.endsWith('_tables_of_the_gateway')) ?? '';

/** Creates a database of animals with a key, as an earlier version created it with the store's own migrations. */
export async function earlierDatabase() {
  await using folder = await temporaryDirectory();
  await cp(FOLDER, folder.path, { recursive: true });
  await Promise.all(
    NAMES.filter((name) => name >= LEAVING).map((name) =>
      rm(join(folder.path, name), { recursive: true }),
    ),
  );
  const ofStore = { folder: pathToFileURL(`${folder.path}/`), table: '_prisma_migrations' };
  const made = await database();
  await applyMigrations(made.url, { ...MIGRATIONS, sources: [ofStore] });
  await made.client.query(`INSERT INTO api_keys (name, hash) VALUES ('kept', '')`);
  return made;
}
