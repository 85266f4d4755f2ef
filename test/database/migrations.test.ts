import { MIGRATIONS } from '../support/store-database.ts';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { applyMigrations } from '@store-gateway/local/migrations';
import { readMigrations } from '../../packages/local/src/migrations/history.ts';
import {
  migrationsInput,
  openSchemaEngine,
} from '../../packages/local/src/create-migration/schema-engine.ts';
import { openSession } from '../../packages/local/src/migrations/session.ts';
import { StartupFailure } from '@store-gateway/ops';
import { TEMPLATE } from '../support/database.ts';
import {
  database,
  FIRST_NAME,
  FOLDER,
  FOREIGN_HISTORIES,
  ALL_NAMES,
  NAMES,
  refuseAnimals,
} from '../support/migrating.ts';

test('every migration is applied to an empty database and recorded as Prisma would record it', async () => {
  const { url, client } = await database();
  expect((await applyMigrations(url, MIGRATIONS)).applied).toEqual(ALL_NAMES);
  const { rows } = await client.query(
    `SELECT migration_name, checksum, applied_steps_count, logs, rolled_back_at,
       finished_at >= started_at AS finished
     FROM _prisma_migrations ORDER BY migration_name`,
  );
  const records = NAMES.map(async (name) => {
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

test('neither the gateway nor Prisma has anything to apply to a migrated database', async () => {
  const { url } = await database(TEMPLATE);
  expect((await applyMigrations(url, MIGRATIONS)).applied).toEqual([]);

  const session = await openSession(url, MIGRATIONS);
  onTestFinished(() => session.end());
  using engine = await openSchemaEngine(session);
  const input = await migrationsInput(FOLDER, await readMigrations(FOLDER));
  expect(await engine.applyMigrations(input)).toEqual({ appliedMigrationNames: [] });
});

test('startup fails if the migration history is unexpected after migrating', async () => {
  const { url, client } = await database();
  // A trigger adds a foreign entry to the history when the pets table is created.
  await client.query(`
    CREATE SCHEMA hidden;
    CREATE FUNCTION hidden.meddle() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF to_regclass('public.pets') IS NOT NULL THEN
        INSERT INTO public._prisma_migrations (id, checksum, migration_name, finished_at)
        VALUES ('next', '', '99991231235959_next', now()) ON CONFLICT DO NOTHING;
      END IF;
    END $$;
    CREATE EVENT TRIGGER meddle ON ddl_command_end EXECUTE FUNCTION hidden.meddle()`);
  await expect(applyMigrations(url, MIGRATIONS)).rejects.toThrow(
    'this version does not include (99991231235959_next)',
  );
});

test('a failed migration is rolled back, fails every start, and is applied again with --retry', async () => {
  const { url, client } = await database();
  await refuseAnimals(client);
  const message = `The migration ${FIRST_NAME} failed on this database: no room for animals. Fix the cause, then retry it with npm run migrate -- --retry ${FIRST_NAME}.`;
  await expect(applyMigrations(url, MIGRATIONS)).rejects.toThrow(new StartupFailure(message));
  await expect(applyMigrations(url, MIGRATIONS)).rejects.toThrow(new StartupFailure(message));
  const { rows } = await client.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'
     UNION ALL SELECT typname FROM pg_type WHERE typname = 'pet_status'`,
  );
  expect(rows).toEqual([{ name: '_prisma_migrations' }]);

  await client.query('DROP EVENT TRIGGER refuse');
  await expect(applyMigrations(url, MIGRATIONS)).rejects.toThrow(new StartupFailure(message));
  const retry = { ...MIGRATIONS, retry: FIRST_NAME };
  expect((await applyMigrations(url, retry)).applied).toEqual(ALL_NAMES);
});

test.each([
  {
    what: 'interrupted',
    sql: `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${FIRST_NAME}'`,
    message: `The migration ${FIRST_NAME} failed on this database: it was interrupted. Fix the cause, then retry it with npm run migrate -- --retry ${FIRST_NAME}.`,
  },
  ...FOREIGN_HISTORIES,
])('a database with a migration that is $what is rejected', async ({ sql, message }) => {
  const { url, client } = await database(TEMPLATE);
  await client.query(sql);
  await expect(applyMigrations(url, MIGRATIONS)).rejects.toThrow(new StartupFailure(message));
});

test('an empty database with an extension is migrated', async () => {
  const { url, client } = await database();
  await client.query('CREATE EXTENSION pg_stat_statements');
  expect((await applyMigrations(url, MIGRATIONS)).applied).toContain(FIRST_NAME);
});

test("another application's database is rejected and left unchanged", async () => {
  const { url, client } = await database();
  await client.query('CREATE TABLE invoices ()');
  await expect(applyMigrations(url, MIGRATIONS)).rejects.toThrow(
    new StartupFailure(
      'The database cannot be migrated: its schema is not empty (invoices), and has no migrations; use an empty schema.',
    ),
  );
  const { rows } = await client.query(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
  );
  expect(rows).toEqual([{ tablename: 'invoices' }]);
});
