import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { startDatabase } from '../../src/database/start.ts';
import { readMigrations } from '../../src/database/migrations/files.ts';
import { migrationsInput, openSchemaEngine } from '../../src/database/migrations/schema-engine.ts';
import { openSession } from '../../src/database/migrations/session.ts';
import { makeFirstKey } from '../../src/first-key.ts';
import { StartupFailure } from '../../src/startup-failure.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';

const FOLDER = new URL('../../prisma/migrations/', import.meta.url);
const names = (await readdir(FOLDER)).filter((name) => /^\d{14}_/.test(name)).toSorted();
const [firstName = ''] = names;

/** Counts who waits for the lock under which a database is migrated. */
const WAITING = `
  SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
  WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`;

/** A new database, by default an empty one, and a connection to it until the test is over. */
async function database(template?: string) {
  const url = await createDatabase(
    inject('postgresUrl'),
    template === undefined ? {} : { template },
  );
  const client = new Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return { url, client };
}

test('an empty database gets every migration, recorded as Prisma does', async () => {
  const { url, client } = await database();
  expect(await applyMigrations(url)).toEqual(names);
  const { rows } = await client.query(
    `SELECT migration_name, checksum, applied_steps_count, logs, rolled_back_at,
       finished_at >= started_at AS finished
     FROM _prisma_migrations ORDER BY migration_name`,
  );
  const records = names.map(async (name) => {
    const script = await readFile(new URL(`${name}/migration.sql`, FOLDER));
    return {
      migration_name: name,
      checksum: createHash('sha256').update(script).digest('hex'),
      applied_steps_count: 1,
      logs: null,
      rolled_back_at: null,
      finished: true,
    };
  });
  expect(rows).toEqual(await Promise.all(records));
});

test('a migrated database has nothing left to apply, for us and for Prisma', async () => {
  const { url } = await database(TEMPLATE);
  expect(await applyMigrations(url)).toEqual([]);

  const session = await openSession(url);
  onTestFinished(() => session.end());
  using engine = await openSchemaEngine(session);
  const input = await migrationsInput(await readMigrations());
  expect(await engine.applyMigrations(input)).toEqual({ appliedMigrationNames: [] });
});

test('of many that start at once on an empty database one migrates, and the others wait for it', async () => {
  const { url, client } = await database();
  // Until all have come to it, nobody gets the lock.
  await client.query('SELECT pg_advisory_lock(72707369)');
  const migrations = Array.from({ length: 5 }, () => applyMigrations(url));
  const firstKeys = Array.from({ length: 2 }, async () => {
    const { database: store, stop } = await startDatabase({ databaseUrl: url, dataDirectory: '' });
    const key = await makeFirstKey(store, new AbortController().signal);
    await stop();
    return key;
  });
  await expect.poll(() => client.query(WAITING)).toMatchObject({ rows: [{ count: '7' }] });
  await client.query('SELECT pg_advisory_unlock(72707369)');

  const applied = (await Promise.all(migrations)).flat();
  const [made, ...others] = (await Promise.all(firstKeys)).filter((key) => key !== undefined);
  expect([[], names]).toContainEqual(applied);
  const { rows } = await client.query('SELECT migration_name FROM _prisma_migrations ORDER BY 1');
  expect(rows).toEqual(names.map((name) => ({ migration_name: name })));

  // Nor did both make a first key.
  expect(made).toMatch(/^asg_/);
  expect(others).toEqual([]);
  expect((await client.query('SELECT name FROM api_keys')).rows).toEqual([{ name: 'first' }]);
});

test('a migration that another process is at work on is waited for', async () => {
  const { url, client } = await database(TEMPLATE);
  // As it is in the midst of one.
  await client.query('SELECT pg_advisory_lock(72707369)');
  await client.query('UPDATE _prisma_migrations SET finished_at = NULL');
  const applied = applyMigrations(url);
  await expect.poll(() => client.query(WAITING)).toMatchObject({ rows: [{ count: '1' }] });
  await client.query('UPDATE _prisma_migrations SET finished_at = now()');
  await client.query('SELECT pg_advisory_unlock(72707369)');
  expect(await applied).toEqual([]);
});

test('a failed migration leaves nothing, stays told at every start, and is applied once repaired', async () => {
  const { url, client } = await database();
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
  const message = `The migration ${firstName} failed on this database: no room for animals. Repair the cause, then set rolled_back_at in its row of _prisma_migrations to have it applied again.`;
  await expect(applyMigrations(url)).rejects.toThrow(new StartupFailure(message));
  await expect(applyMigrations(url)).rejects.toThrow(new StartupFailure(message));
  const { rows } = await client.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'
     UNION ALL SELECT typname FROM pg_type WHERE typname = 'pet_status'`,
  );
  expect(rows).toEqual([{ name: '_prisma_migrations' }]);

  await client.query('DROP EVENT TRIGGER refuse');
  await expect(applyMigrations(url)).rejects.toThrow(new StartupFailure(message));
  await client.query('UPDATE _prisma_migrations SET rolled_back_at = now()');
  expect(await applyMigrations(url)).toEqual(names);
  expect(await applyMigrations(url)).toEqual([]);
});

test.each([
  {
    what: 'a migration that was interrupted',
    sql: `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${firstName}'`,
    message: `The migration ${firstName} failed on this database: it was interrupted. Repair the cause, then set rolled_back_at in its row of _prisma_migrations to have it applied again.`,
  },
  {
    what: 'a migration that this version does not know',
    sql: `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('next', '', '99991231235959_next', now())`,
    message:
      'The database has migrations that this version does not know (99991231235959_next); start the version that wrote them, or a newer one.',
  },
  {
    what: 'a migration that was changed since',
    sql: `UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = '${firstName}'`,
    message: `Migrations were changed after they had been applied to this database (${firstName}); restore their files and put the change into a new migration.`,
  },
])('a database with $what is refused', async ({ sql, message }) => {
  const { url, client } = await database(TEMPLATE);
  await client.query(sql);
  await expect(applyMigrations(url)).rejects.toThrow(new StartupFailure(message));
});

test('a database of something else is refused, and left as it is', async () => {
  const { url, client } = await database();
  await client.query('CREATE TABLE invoices ()');
  await expect(applyMigrations(url)).rejects.toThrow(
    new StartupFailure(
      'The database cannot be migrated: The database schema is not empty. Read more about how to baseline an existing production database: https://pris.ly/d/migrate-baseline.',
    ),
  );
  const { rows } = await client.query(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
  );
  expect(rows).toEqual([{ tablename: 'invoices' }]);
});
