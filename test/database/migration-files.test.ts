import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { describeDrift } from '../../scripts/describe-drift.ts';
import { createDatabase } from '../support/database.ts';
import { runEntry } from '../support/process.ts';
import { temporaryDirectory, temporaryTree } from '../support/temporary-directory.ts';

test('the migrations lead to the schema', async () => {
  expect(await describeDrift(await createDatabase(inject('postgresUrl')))).toBe('');
});

test('migrations that lead elsewhere are told, with the way back', async () => {
  const url = await createDatabase(inject('postgresUrl'));
  const client = new Client(url);
  await client.connect();
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
  await client.end();
  expect(await describeDrift(url)).toBe('-- AlterTable\nALTER TABLE "pets" DROP COLUMN "age";\n');
});

test('db:migration writes what the schema lacks, and nothing when it lacks nothing', async () => {
  await using copy = await temporaryTree();
  await using temporary = await temporaryDirectory();
  const create = async (name: string) => {
    await using child = runEntry('scripts/create-migration.ts', {
      args: [name],
      env: { TMPDIR: temporary.path },
      root: copy.path,
    });
    const { code } = await child.exit;
    return { code, stdout: child.stdout(), stderr: child.stderr() };
  };
  const migrations = join(copy.path, 'prisma', 'migrations');
  const before = await readdir(migrations);
  await appendFile(
    join(copy.path, 'prisma', 'schema.prisma'),
    'model Visitor {\n  id BigInt @id\n}\n',
  );

  const written = await create('add_visitors');
  const [name = '', ...others] = (await readdir(migrations)).filter(
    (each) => !before.includes(each),
  );
  expect(name).toMatch(/^\d{14}_add_visitors$/);
  expect(others).toEqual([]);
  expect(written).toEqual({
    code: 0,
    stdout: `Wrote prisma/migrations/${name}/migration.sql. Read it before you commit it.\n`,
    stderr: '',
  });
  expect(await readFile(join(migrations, name, 'migration.sql'), 'utf8')).toBe(
    '-- CreateTable\nCREATE TABLE "Visitor" (\n    "id" BIGINT NOT NULL,\n\n    CONSTRAINT "Visitor_pkey" PRIMARY KEY ("id")\n);\n',
  );

  expect(await create('again')).toEqual({
    code: 0,
    stdout: 'No change: the migrations agree with prisma/schema.prisma.\n',
    stderr: '',
  });
  expect((await readdir(migrations)).toSorted()).toEqual([...before, name].toSorted());
  expect(await readdir(temporary.path)).toEqual([]);
});

test.each([[[]], [['Add-Visitors']], [['add', 'visitors']], [['../add']]])(
  'db:migration with the arguments %j is not understood',
  async (args) => {
    await using child = runEntry('scripts/create-migration.ts', { args });
    expect(await child.exit).toEqual({ code: 2, signal: null });
    const refusal = 'db:migration: NAME must be one word of a-z, 0-9 and _; see --help\n';
    expect([child.stdout(), child.stderr()]).toEqual(['', refusal]);
  },
);
