import { keys, migrate } from '../support/store-commands.ts';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { TEMPLATE } from '../support/database.ts';
import { ALL_NAMES, database, FIRST_NAME, FOREIGN_HISTORIES, NAMES } from '../support/migrating.ts';
import { runEntry } from '../support/process.ts';
import { failedStart } from '../support/service.ts';
import { startRefusal } from '../support/start-refusal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { emptyDatabase } from '../support/new-database.ts';

const ALL_THERE = 'the database already has all migrations\n';

/** The message for a database without migrations. */
const LACKING = `The database lacks migrations of this version (${NAMES.join(', ')}); apply them with npm run migrate.`;

test('npm run migrate applies and lists the missing migrations, and does nothing when run again', async () => {
  const env = { DATABASE_URL: await emptyDatabase(), MIGRATE: 'off' };
  await using command = runEntry('src/main.ts migrate', { env });
  expect([await command.exit, command.stderr()]).toEqual([{ code: 0, signal: null }, '']);
  expect(command.stdout()).toBe(ALL_NAMES.map((name) => `applied ${name}\n`).join(''));
  expect(await runInProcess(migrate, [], { env })).toEqual({
    code: 0,
    stdout: ALL_THERE,
    stderr: '',
  });
});

test('npm run migrate migrates an existing embedded database, but does not create one', async () => {
  await using directory = await temporaryDirectory();
  const env = { DATA_DIR: directory.path };
  expect(await runInProcess(migrate, [], { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: `migrate: DATA_DIR: there is no store in ${directory.path}; set it to the service's data folder\n`,
  });
  // Starting the service creates the database.
  expect(await failedStart({ ...env, MIGRATE: 'off' })).toBe(LACKING);
  expect(await runInProcess(migrate, [], { env })).toMatchObject({
    code: 0,
    stdout: ALL_NAMES.map((name) => `applied ${name}\n`).join(''),
  });
});

test('npm run migrate -- --retry applies a failed migration again', async () => {
  const { url, client } = await database();
  await client.query('CREATE DOMAIN pet_status AS text');
  const env = { DATABASE_URL: url };
  const retry = `npm run migrate -- --retry ${FIRST_NAME}`;
  const failed = await runInProcess(migrate, [], { env });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(new RegExp(`failed on this database: .* with ${retry}\\.\n$`));
  await client.query('DROP DOMAIN pet_status');
  const again = ['--retry', FIRST_NAME];
  expect(await runInProcess(migrate, again, { env })).toMatchObject({
    code: 0,
    stdout: ALL_NAMES.map((name) => `applied ${name}\n`).join(''),
  });
  expect(await runInProcess(migrate, again, { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: `migrate: No migration ${FIRST_NAME} has failed on this database.\n`,
  });
});

test('with MIGRATE=off, the service and commands reject a database without migrations and do not change it', async () => {
  const { url, client } = await database();
  const env = { DATABASE_URL: url, MIGRATE: 'off' };
  expect(await failedStart(env)).toBe(LACKING);
  expect(await runInProcess(keys, ['list'], { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: `keys: ${LACKING}\n`,
  });
  const tables = `SELECT FROM pg_tables WHERE schemaname = 'public'`;
  expect(await client.query(tables)).toMatchObject({ rowCount: 0 });
});

test.each([
  {
    what: 'missing',
    sql: `DELETE FROM _prisma_migrations WHERE migration_name = '${FIRST_NAME}'`,
    message: `The database lacks migrations of this version (${FIRST_NAME}); apply them with npm run migrate.`,
  },
  {
    what: 'failed or still running',
    sql: `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${FIRST_NAME}'`,
    message: `Migrations have not finished on this database (${FIRST_NAME}); npm run migrate waits for them, or reports why they failed.`,
  },
  ...FOREIGN_HISTORIES,
])(
  'with MIGRATE=off, the service does not start if a migration in its database is $what',
  async (refused) => {
    const { url, client } = await database(TEMPLATE);
    await client.query(refused.sql);
    expect(await startRefusal({ databaseUrl: url, migrate: false })).toBe(refused.message);
  },
);
