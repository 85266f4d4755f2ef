import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { connectClient } from '../../../../test/support/connect-client.ts';
import { emptyDatabase } from '../../../../test/support/new-database.ts';
import { applyMigrations, expectMigrations } from '../../src/migrations/apply.ts';

const INIT = '20300101000000_init';
const MORE = '20300102000000_more';

/** Creates an empty database, and a folder with one migration, to which `add` adds more. */
async function start() {
  const path = await testFolder();
  await writeFile(join(path, 'migration_lock.toml'), 'provider = "postgresql"\n');
  const add = async (name: string, script: string) => {
    await mkdir(join(path, name));
    await writeFile(join(path, name, 'migration.sql'), script);
  };
  await add(INIT, `CREATE TABLE orders (id int, note text DEFAULT 'a;b')`);
  const url = await emptyDatabase();
  const client = await connectClient(url);
  const folder = pathToFileURL(`${path}/`);
  const sources = [{ folder, table: '_prisma_migrations' }];
  return { url, client, add, options: { sources, tables: ['orders'], applicationName: 'shop' } };
}

const migrated = (...applied: string[]) => ({ schema: 'public', isSharded: false, applied });

test('each migration is applied once', async () => {
  const { url, client, add, options } = await start();
  await expect(expectMigrations(url, options)).rejects.toThrow(`lacks migrations of this version`);
  expect(await applyMigrations(url, options)).toMatchObject(migrated(INIT));
  await add(MORE, 'ALTER TABLE orders ADD paid boolean');
  expect(await applyMigrations(url, options)).toMatchObject(migrated(MORE));
  expect(await applyMigrations(url, options)).toMatchObject(migrated());
  expect(await expectMigrations(url, options)).toMatchObject(migrated());
  await client.query('INSERT INTO orders DEFAULT VALUES');
  expect((await client.query('SELECT * FROM orders')).rows).toEqual([
    { id: null, note: 'a;b', paid: null },
  ]);
});

test('a failed migration that began its own transaction is reported like any other failed migration', async () => {
  const { url, add, options } = await start();
  await add(MORE, 'BEGIN; SELECT 1/0; COMMIT');
  const refusal = `The migration ${MORE} failed on this database: division by zero.`;
  await expect(applyMigrations(url, options)).rejects.toThrow(refusal);
  await expect(applyMigrations(url, options)).rejects.toThrow(refusal);
});
