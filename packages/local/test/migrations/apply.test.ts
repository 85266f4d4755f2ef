import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../../test/support/database.ts';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.ts';
import { applyMigrations, expectMigrations } from '../../src/migrations/apply.ts';

const INIT = '20300101000000_init';
const MORE = '20300102000000_more';

/** A folder of migrations, to which more can be added, and an empty database. */
async function start() {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  await writeFile(join(directory.path, 'migration_lock.toml'), 'provider = "postgresql"\n');
  const add = async (name: string, script: string) => {
    await mkdir(join(directory.path, name));
    await writeFile(join(directory.path, name, 'migration.sql'), script);
  };
  await add(INIT, `CREATE TABLE orders (id int, note text DEFAULT 'a;b')`);
  const url = await createDatabase(inject('postgresUrl'));
  const client = new Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  const folder = pathToFileURL(`${directory.path}/`);
  const sources = [{ folder, table: '_prisma_migrations' }];
  return { url, client, add, options: { sources, tables: ['orders'], applicationName: 'shop' } };
}

test('each migration is applied once, as Prisma would', async () => {
  const { url, client, add, options } = await start();
  await expect(expectMigrations(url, options)).rejects.toThrow(`lacks migrations of this version`);
  expect(await applyMigrations(url, options)).toMatchObject({
    schema: 'public',
    isSharded: false,
    applied: [INIT],
  });
  await add(MORE, 'ALTER TABLE orders ADD paid boolean');
  expect(await applyMigrations(url, options)).toMatchObject({
    schema: 'public',
    isSharded: false,
    applied: [MORE],
  });
  expect(await applyMigrations(url, options)).toMatchObject({
    schema: 'public',
    isSharded: false,
    applied: [],
  });
  expect(await expectMigrations(url, options)).toMatchObject({
    schema: 'public',
    isSharded: false,
    applied: [],
  });
  await client.query('INSERT INTO orders DEFAULT VALUES');
  expect((await client.query('SELECT * FROM orders')).rows).toEqual([
    { id: null, note: 'a;b', paid: null },
  ]);
});

test('of two that start at once one migrates', async () => {
  const { url, options } = await start();
  const both = await Promise.all([applyMigrations(url, options), applyMigrations(url, options)]);
  expect(both.flatMap(({ applied }) => applied)).toEqual([INIT]);
});

test('a failed migration that has begun a transaction of its own is told like any other', async () => {
  const { url, add, options } = await start();
  await add(MORE, 'BEGIN; SELECT 1/0; COMMIT');
  const refusal = `The migration ${MORE} failed on this database: division by zero.`;
  await expect(applyMigrations(url, options)).rejects.toThrow(refusal);
  await expect(applyMigrations(url, options)).rejects.toThrow(refusal);
});

test('a failed migration stops every start, and leaves nothing', async () => {
  const { url, client, add, options } = await start();
  await add(MORE, 'CREATE TABLE half (); SELECT 1/0');
  const refusal = `The migration ${MORE} failed on this database: division by zero.`;
  await expect(applyMigrations(url, options)).rejects.toThrow(refusal);
  await expect(applyMigrations(url, options)).rejects.toThrow(refusal);
  await expect(client.query('SELECT FROM half')).rejects.toThrow('does not exist');
});

test('a schema with the same tables behind the first one makes the URL ambiguous', async () => {
  const { url, client, options } = await start();
  await applyMigrations(url, options);
  await client.query('CREATE SCHEMA shop');
  const both = `${url}&options=${encodeURIComponent('-c search_path=shop,public')}`;
  await expect(applyMigrations(both, options)).rejects.toThrow('add schema=… to the URL');
  const named = await applyMigrations(`${url}&schema=shop`, options);
  expect(named).toMatchObject({ schema: 'shop', isSharded: false, applied: [INIT] });
});
