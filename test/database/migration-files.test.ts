import { appendFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import {
  createMigration,
  dataLossOf,
  describeDrift,
  renameStatement,
  writeMigration,
} from '../../packages/local/src/create-migration/create-migration.ts';
import { runInProcess } from '../support/command.ts';
import { emptyDatabase } from '../support/new-database.ts';
import { runEntry } from '../support/process.ts';
import { temporaryDirectory, temporaryTree } from '../support/temporary-directory.ts';

const ANIMALS = new URL('../../prisma/', import.meta.url);

test('applying all migrations produces the schema', async () => {
  expect(await describeDrift(await emptyDatabase(), ANIMALS)).toBe('');
});

test('drift between the migrations and the schema is reported as SQL', async () => {
  const url = await emptyDatabase();
  const client = await connectClient(url);
  await client.query(`
    CREATE SCHEMA hidden;
    CREATE FUNCTION hidden.stray() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF to_regclass('public.pets') IS NOT NULL THEN
        ALTER TABLE public.pets ADD COLUMN IF NOT EXISTS age INT;
      END IF;
    END $$;
    CREATE EVENT TRIGGER stray ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
      EXECUTE FUNCTION hidden.stray();
  `);
  expect(await describeDrift(url, ANIMALS)).toBe(
    '-- AlterTable\nALTER TABLE "pets" DROP COLUMN "age";\n',
  );
});

test('create-migration writes the missing DDL, except for unenforced foreign keys', async () => {
  await using copy = await temporaryTree();
  await using temporary = await temporaryDirectory();
  const migrations = join(copy.path, 'prisma', 'migrations');
  const before = await readdir(migrations);
  await appendFile(
    join(copy.path, 'prisma', 'schema.prisma'),
    `model Visitor {
      id      BigInt    @id
      guideId BigInt
      guide   Visitor?  @relation("guides", fields: [guideId], references: [id], map: "unenforced_guides")
      guided  Visitor[] @relation("guides")
    }`,
  );
  await using child = runEntry('packages/local/src/create-migration/main.ts', {
    args: ['add_visitors'],
    env: { TMPDIR: temporary.path },
    root: copy.path,
  });
  expect(await child.exit).toEqual({ code: 0, signal: null });

  const [name = '', ...others] = (await readdir(migrations)).filter(
    (each) => !before.includes(each),
  );
  expect(name).toMatch(/^\d{14}_add_visitors$/);
  expect(others).toEqual([]);
  expect([child.stdout(), child.stderr()]).toEqual([
    `Wrote prisma/migrations/${name}/migration.sql. Read it before you commit it.\n`,
    '',
  ]);
  expect(await readFile(join(migrations, name, 'migration.sql'), 'utf8')).toBe(
    '-- CreateTable\nCREATE TABLE "Visitor" (\n    "id" BIGINT NOT NULL,\n    "guideId" BIGINT NOT NULL,\n\n    CONSTRAINT "Visitor_pkey" PRIMARY KEY ("id")\n);\n',
  );
  expect(await readdir(temporary.path)).toEqual([]);
});

test('create-migration writes nothing when the migrations already match the schema', async () => {
  await using folder = await temporaryDirectory();
  expect(await writeMigration('again', '', pathToFileURL(`${folder.path}/`))).toMatch(
    /^Nothing to migrate: the migrations match .+\/schema\.prisma\.\n$/,
  );
  expect(await readdir(folder.path)).toEqual([]);
});

test('a migration that adds a search index creates the pg_trgm extension', async () => {
  await using folder = await temporaryDirectory();
  const index = 'CREATE INDEX "by_name" ON "films" USING GIN ("name" gin_trgm_ops);\n';
  await mkdir(join(folder.path, 'migrations'));
  await writeMigration('search', index, pathToFileURL(`${folder.path}/`));
  const [name = ''] = await readdir(join(folder.path, 'migrations'));
  const script = await readFile(join(folder.path, 'migrations', name, 'migration.sql'), 'utf8');
  expect(script).toBe(`-- For gin_trgm_ops\nCREATE EXTENSION IF NOT EXISTS pg_trgm;\n\n${index}`);
});

test('create-migration fails without a schema', async () => {
  await using folder = await temporaryDirectory();
  const { code, stderr } = await runInProcess(createMigration, ['init', '--folder', folder.path]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^create-migration: there is no .+\/schema\.prisma\n$/);
  expect(await readdir(folder.path)).toEqual([]);
});

const TOKEN = (map: string) =>
  `model Token {\n  id BigInt @id\n  // @@map("tokens")\n  ${map}\n}\n`;

/** The outcome of create-migration for a model that is mapped to a gateway table. */
const refusalOf = (table: string) => ({
  code: 1,
  stdout: '',
  stderr: `create-migration: the model Token can't use the table ${table}, which belongs to the gateway: map it to a different table with @@map\n`,
});

test.each([
  ['@@map("_gateway_api_keys")', '_gateway_api_keys'],
  ['@@map(name: "_gateway_secrets")', '_gateway_secrets'],
])('create-migration rejects a model that is mapped to a gateway table: %s', async (map, table) => {
  await using folder = await temporaryDirectory();
  await writeFile(join(folder.path, 'schema.prisma'), TOKEN(map));
  const args = ['tokens', '--folder', folder.path];
  expect(await runInProcess(createMigration, args)).toEqual(refusalOf(table));
});

test('a model can use a former gateway table name, unless a migration of the store created that table', async () => {
  const map = TOKEN('@@map("api_keys")');
  await using folder = await temporaryDirectory();
  await mkdir(join(folder.path, 'migrations'));
  const lock = join(folder.path, 'migrations', 'migration_lock.toml');
  await writeFile(lock, 'provider = "postgresql"\n');
  const { datasource = '' } =
    /(?<datasource>datasource \w+ \{[^}]*\})/.exec(await animalsSchema())?.groups ?? {};
  await writeFile(join(folder.path, 'schema.prisma'), `${datasource}\n${map}`);
  const url = await emptyDatabase();
  expect(await describeDrift(url, pathToFileURL(`${folder.path}/`))).toContain(
    'CREATE TABLE "api_keys" (\n    "id" BIGINT NOT NULL,',
  );

  await using earlier = await changedFolder((schema) => schema + map);
  const args = ['tokens', '--folder', earlier.path];
  expect(await runInProcess(createMigration, args)).toEqual(refusalOf('api_keys'));
});

const animalsSchema = () => readFile(new URL('schema.prisma', ANIMALS), 'utf8');

/** A folder with the animals' migrations and a changed schema. */
async function changedFolder(change: (schema: string) => string) {
  const folder = await temporaryDirectory();
  await cp(new URL('migrations/', ANIMALS), join(folder.path, 'migrations'), { recursive: true });
  await writeFile(join(folder.path, 'schema.prisma'), change(await animalsSchema()));
  return folder;
}

/** The script that migrates a database with the animals' migrations to a changed schema. */
async function driftTo(change: (schema: string) => string, ...renames: string[]) {
  await using folder = await changedFolder(change);
  const url = await emptyDatabase();
  return await describeDrift(url, pathToFileURL(`${folder.path}/`), renames.map(renameStatement));
}

/** Matches the name column of Pet, but not of other models. */
const NAME = /(?<=^model Pet \{[^}]*\n) {2}name /m;
const titled = (schema: string) => schema.replace(NAME, '  title ');
const animals = (schema: string) => schema.replace('@@map("pets")', '@@map("animals")');
const invalid = (schema: string) => `${schema}model X {\n  id Integer @id\n}\n`;
const nameless = (schema: string) => schema.replace(NAME, '  // name ');

test('a migration that would lose data requires --accept-data-loss', async () => {
  await using folder = await changedFolder(titled);
  const args = ['change', '--folder', folder.path];
  expect(await runInProcess(createMigration, args)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'create-migration: the migration would drop the column name of pets: use --rename pets.name:title to keep its data, or --accept-data-loss\n',
  });
  const accepted = await runInProcess(createMigration, [...args, '--accept-data-loss']);
  expect(accepted.stdout).toMatch(/^Wrote /);
});

test.each([
  [animals, ['the table pets'], ['pets:animals']],
  [nameless, ['the column name of pets'], []],
  [(schema: string) => schema, [], []],
])('data loss and possible renames are detected: %#', async (...given) => {
  const [change, losses, renames] = given;
  expect(dataLossOf(await driftTo(change))).toEqual({ losses, renames });
});

test('--rename keeps the data and runs before other changes', async () => {
  const column = 'ALTER TABLE "pets" RENAME COLUMN "name" TO "title";\n';
  expect(await driftTo(titled, 'pets.name:title')).toBe(column);
  const both = (schema: string) => animals(titled(schema));
  const script = await driftTo(both, 'pets.name:title', 'pets:animals');
  expect(script.startsWith(`${column}ALTER TABLE "pets" RENAME TO "animals";\n\n-- `)).toBe(true);
  expect(script).not.toContain('DROP');
});

test('an invalid rename or schema is reported in one sentence', async () => {
  expect(() => renameStatement('name')).toThrow(
    '--rename must be TABLE.OLD:NEW or OLD:NEW, not name',
  );
  await expect(driftTo(titled, 'pets.nome:title')).rejects.toThrow(
    'the migrations create no such table or column: ALTER TABLE "pets" RENAME COLUMN "nome" TO "title";',
  );
  await expect(driftTo(invalid)).rejects.toThrow(
    /^schema\.prisma, line \d+: Type "Integer" is neither a built-in type.*$/,
  );
});

test.each([[[]], [['Add-Visitors']], [['add', 'visitors']], [['../add']]])(
  'create-migration rejects the arguments %j',
  async (args) => {
    expect(await runInProcess(createMigration, args)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'create-migration: NAME must be one word of a-z, 0-9 and _; see --help\n',
    });
  },
);
