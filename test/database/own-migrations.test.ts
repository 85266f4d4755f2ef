import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { applyMigrations } from '@store-gateway/local/migrations';
import { GATEWAY_TABLES, withoutPrefix } from '@store-gateway/ops';
import { migrationsOf } from '../../packages/gateway/src/database/tables.ts';
import { auditCommand } from '../../packages/gateway/src/commands/audit.ts';
import { gateway } from '../../src/gateway.ts';
import { startGateway } from '../support/gateway.ts';
import {
  earlierDatabase,
  LEAVING,
  ALL_NAMES,
  database,
  FOLDER,
  NAMES,
} from '../support/migrating.ts';
import { expectAllOwnTables } from '../support/all-own-tables.ts';
import { auditedApi, startAuditedAnimals } from '../support/audited-animals.ts';
import { runInProcess } from '../support/command.ts';
import { startPatientService } from '../support/service.ts';
import { deprecations, keys } from '../support/store-commands.ts';
import { MIGRATIONS } from '../support/store-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const STORED = Object.values(gateway.prisma.models).map(({ table }) => table);
const OWN_NAMES = ALL_NAMES.slice(NAMES.length);

/** Columns, constraints and indexes of the gateway's tables, except the columns that earlier versions had for animals. */
async function shapeOf(client: Client, tables: readonly string[]): Promise<object[]> {
  const names = tables.map((table) => `'${table}'`).join(', ');
  const { rows } = await client.query<{ part: string; definition: string }>(`
    SELECT table_name || ' ' || column_name AS part,
      concat_ws(' ', data_type, datetime_precision, is_nullable, column_default) AS definition
    FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name IN (${names}) AND (table_name, column_name) NOT IN (VALUES
      ('idempotency_keys', 'pet_id'), ('idempotency_keys', 'pet_name'),
      ('idempotency_keys', 'category_id'), ('idempotency_keys', 'status'))
    UNION ALL
    SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE conrelid IN (SELECT oid FROM pg_class WHERE relname IN (${names})) AND contype IN ('p', 'f', 'u')
    UNION ALL
    SELECT indexname, indexdef FROM pg_indexes
    WHERE schemaname = 'public' AND tablename IN (${names})
    UNION ALL
    SELECT relname, relpersistence::text || obj_description(oid) FROM pg_class WHERE relname IN (${names})`);
  return rows
    .map(({ part, definition }) => ({
      part: withoutPrefix(part),
      definition: withoutPrefix(definition),
    }))
    .toSorted((one, other) => (one.part < other.part ? -1 : 1));
}

const tablesOf = async (client: Client) => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

/** The migrations of a store with this migrations folder and a model with this table. */
function migrationsWith(folder: URL, table: string) {
  const { prisma } = gateway;
  const { Pet } = prisma.models;
  if (Pet === undefined) {
    throw new Error('there are no animals');
  }
  const models = { Token: { ...Pet, name: 'Token', table } };
  return migrationsOf({ ...gateway, prisma: { ...prisma, models, migrations: folder } });
}

test('a new database has only prefixed gateway tables, with their own migration history', async () => {
  const { url, client } = await database();
  expect((await applyMigrations(url, MIGRATIONS)).hasEarlierNames).toBe(false);
  expect(await tablesOf(client)).toEqual(
    [...GATEWAY_TABLES, '_gateway_migrations', '_prisma_migrations', ...STORED].toSorted(),
  );
  expect((await client.query(`SELECT FROM pg_proc WHERE proname ~ 'idempotency'`)).rows).toEqual(
    [],
  );
  // migrations.test.ts checks Prisma's history.
  const { rows } = await client.query(
    'SELECT migration_name AS name FROM _gateway_migrations ORDER BY 1',
  );
  expect(rows).toEqual(OWN_NAMES.map((name) => ({ name })));
});

test('a database from an earlier version keeps its tables and is migrated to the same shape as a new one', async () => {
  const earlier = await earlierDatabase();
  const { applied, hasEarlierNames } = await applyMigrations(earlier.url, MIGRATIONS);
  expect(applied).toEqual([...NAMES.filter((name) => name >= LEAVING), ...OWN_NAMES]);
  expect(hasEarlierNames).toBe(true);
  const { rows } = await earlier.client.query('SELECT name FROM api_keys');
  expect(rows).toEqual([{ name: 'kept' }]);
  expect((await applyMigrations(earlier.url, MIGRATIONS)).hasEarlierNames).toBe(true);

  const later = await database();
  await applyMigrations(later.url, MIGRATIONS);
  const shape = await shapeOf(earlier.client, GATEWAY_TABLES.map(withoutPrefix));
  expect(shape.length).toBeGreaterThan(30);
  expect(shape).toEqual(await shapeOf(later.client, GATEWAY_TABLES));
  const { request } = await startGateway({ databaseUrl: earlier.url, hasEarlierNames });
  expect((await request('/v1/pets')).status).toBe(200);
});

/** The migrations of a store whose first migration is this script, which creates a model's table. */
async function withFirst(script: string) {
  const folder = await temporaryDirectory();
  const init = join(folder.path, FIRST);
  await mkdir(init);
  await writeFile(join(init, 'migration.sql'), script);
  const migrations = migrationsWith(pathToFileURL(`${folder.path}/`), 'api_keys');
  return { migrations, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const FIRST = '20200101000000_init';
const LIKE_KEYS = `CREATE TABLE api_keys (id bigint PRIMARY KEY, name text, hash bytea, created_at timestamptz,
  expires_at timestamptz, revoked_at timestamptz)`;

test.each(['CREATE TABLE api_keys (id uuid PRIMARY KEY, hash text)', LIKE_KEYS])(
  'a model can use a former gateway table name: %s',
  async (script) => {
    await using store = await withFirst(script);
    const { url, client } = await database();
    for (const applied of [[FIRST, ...OWN_NAMES], []]) {
      expect(await applyMigrations(url, store.migrations)).toMatchObject({
        applied,
        hasEarlierNames: false,
      });
    }
    expect(await tablesOf(client)).toEqual(
      [...GATEWAY_TABLES, '_gateway_migrations', '_prisma_migrations', 'api_keys'].toSorted(),
    );
  },
);

test('a model cannot use a former gateway table name in a database from an earlier version', async () => {
  const { url } = await earlierDatabase();
  await applyMigrations(url, MIGRATIONS);
  await expect(applyMigrations(url, migrationsWith(FOLDER, 'api_keys'))).rejects.toThrow(
    "This database was created by an earlier version: the model Token can't use the table api_keys, which belongs to the gateway: map it to a different table with @@map.",
  );
});

test('a foreign table with the name of a gateway table is not adopted', async () => {
  await using store = await withFirst(
    'CREATE TABLE _gateway_api_keys (id uuid PRIMARY KEY, hash text NOT NULL)',
  );
  const { url, client } = await database();
  await expect(applyMigrations(url, store.migrations)).rejects.toThrow(
    "a table named _gateway_api_keys exists that is not the gateway's: rename it, its constraints and its indexes",
  );
  await client.query('ALTER TABLE _gateway_api_keys RENAME TO tokens');
  await client.query('ALTER INDEX _gateway_api_keys_pkey RENAME TO tokens_pkey');
  const retry = { ...store.migrations, retry: OWN_NAMES[0] };
  expect((await applyMigrations(url, retry)).applied).toEqual(OWN_NAMES);
});

test('two processes and the commands work on a database from an earlier version', async () => {
  const { url: DATABASE_URL, client } = await earlierDatabase();
  const env = { DATABASE_URL };
  await using service = await startPatientService({ ...env, WORKERS: '2' });
  const key = (await runInProcess(keys, ['create', 'shop'], { env })).stdout.trim();
  const used = { service, key, env, idempotencyKey: 'once', client, counts: 'rate_limit_counts' };
  await expectAllOwnTables(used);
  expect((await runInProcess(deprecations, [], { env })).stdout).toContain('shop');
});

test('audited changes are logged and listed in a database from an earlier version', async () => {
  const { url: databaseUrl } = await earlierDatabase();
  const { hasEarlierNames } = await applyMigrations(databaseUrl, MIGRATIONS);
  const { post } = await startAuditedAnimals({ databaseUrl, hasEarlierNames });
  expect((await post('/v1/pets', { name: 'Rex' })).status).toBe(201);
  const audit = await auditCommand({ ...gateway, load: () => Promise.resolve(auditedApi) });
  const { stdout } = await runInProcess(audit, [], { env: { DATABASE_URL: databaseUrl } });
  expect(stdout).toMatch(/createPet\s+create\s+Pet\s+1\b/);
});
