import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { applyMigrations } from '@store-gateway/prisma-migrations/apply';
import { GATEWAY_TABLES } from '@store-gateway/batched-prisma/gateway-tables';
import { startGateway } from '../support/gateway.ts';
import { ALL_NAMES, database, NAMES } from '../support/migrating.ts';
import { MIGRATIONS } from '../support/store-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const [ofStore, ofGateway] = MIGRATIONS.sources.map((source) => ({
  ...MIGRATIONS,
  sources: [source],
}));
if (ofStore === undefined || ofGateway === undefined) {
  throw new Error('the store and the gateway have migrations each');
}
const OWN_NAMES = ALL_NAMES.slice(NAMES.length);

const OWN = GATEWAY_TABLES.map((table) => `'${table}'`).join(', ');

/** Columns, constraints and indexes of the gateway's tables, but for what the animals had in them before. */
const SHAPE = `
  SELECT table_name || ' ' || column_name AS part,
    concat_ws(' ', data_type, datetime_precision, is_nullable, column_default) AS definition
  FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name IN (${OWN})
    AND (table_name, column_name) NOT IN (VALUES ('idempotency_keys', 'pet_id'),
      ('idempotency_keys', 'pet_name'), ('idempotency_keys', 'category_id'), ('idempotency_keys', 'status'))
  UNION ALL
  SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
  WHERE conrelid IN (SELECT oid FROM pg_class WHERE relname IN (${OWN})) AND contype IN ('p', 'f', 'u')
  UNION ALL
  SELECT indexname, indexdef FROM pg_indexes
  WHERE schemaname = 'public' AND tablename IN (${OWN})
  UNION ALL
  SELECT relname, relpersistence::text FROM pg_class WHERE relname = 'rate_limit_counts'
  ORDER BY 1, 2`;

test('a store of a version before, whose migrations made the tables of the gateway, goes on as it is', async () => {
  const { url, client } = await database();
  await applyMigrations(url, ofStore);
  await client.query(`INSERT INTO api_keys (name, hash) VALUES ('kept', '')`);
  expect((await applyMigrations(url, MIGRATIONS)).applied).toEqual(OWN_NAMES);

  expect((await client.query('SELECT name FROM api_keys')).rows).toEqual([{ name: 'kept' }]);
  // Processes of the version before start on it too.
  expect((await applyMigrations(url, ofStore)).applied).toEqual([]);
  const { request } = await startGateway({ databaseUrl: url });
  expect((await request('/v1/pets')).status).toBe(200);
});

test('a new store gets the same tables from the gateway', async () => {
  const before = await database();
  await applyMigrations(before.url, MIGRATIONS);
  const own = await database();
  expect((await applyMigrations(own.url, ofGateway)).applied).toEqual(OWN_NAMES);
  const { rows } = await own.client.query(SHAPE);
  expect(rows.length).toBeGreaterThan(20);
  expect(rows).toEqual((await before.client.query(SHAPE)).rows);
});

test('the gateway keeps its history apart from Prisma’s', async () => {
  const { url, client } = await database();
  await applyMigrations(url, MIGRATIONS);
  const namesIn = async (table: string) =>
    (await client.query<{ name: string }>(`SELECT migration_name AS name FROM ${table} ORDER BY 1`))
      .rows;
  expect(await namesIn('_prisma_migrations')).toEqual(NAMES.map((name) => ({ name })));
  expect(await namesIn('_gateway_migrations')).toEqual(OWN_NAMES.map((name) => ({ name })));
});

test("another application's table with a name of the gateway's is not adopted", async () => {
  await using folder = await temporaryDirectory();
  const init = join(folder.path, '20260101000000_init');
  await mkdir(init);
  const table = 'CREATE TABLE api_keys (id uuid PRIMARY KEY, hash text NOT NULL)';
  await writeFile(join(init, 'migration.sql'), table);
  const ofOther = { folder: pathToFileURL(`${folder.path}/`), table: '_prisma_migrations' };
  const sources = [ofOther, ...ofGateway.sources];
  const { url, client } = await database();
  await expect(applyMigrations(url, { ...MIGRATIONS, sources })).rejects.toThrow(
    "a table named api_keys exists that is not the gateway's: rename it, its constraints and its indexes",
  );
  await client.query('ALTER TABLE api_keys RENAME TO tokens');
  await client.query('ALTER INDEX api_keys_pkey RENAME TO tokens_pkey');
  const retry = { ...MIGRATIONS, sources, retry: OWN_NAMES[0] };
  expect((await applyMigrations(url, retry)).applied).toEqual(OWN_NAMES);
});
