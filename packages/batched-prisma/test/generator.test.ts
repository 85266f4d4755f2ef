import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { modelOf } from './clients.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs `prisma generate` for a schema with nothing but our generator, and returns what it says of a failure. */
async function generate(datasource: string): Promise<string> {
  await using folder = await temporaryDirectory();
  const schema = join(folder.path, 'schema.prisma');
  await writeFile(
    schema,
    `generator batched {
  provider = "node packages/batched-prisma/src/generator/main.ts"
  output   = "./models.ts"
}
datasource db {
  provider = "postgresql"
  ${datasource}
}
model Thing {
  id BigInt @id
}
`,
  );
  const prisma = join(ROOT, 'node_modules/prisma/build/index.js');
  const generating = promisify(execFile)(
    process.execPath,
    [prisma, 'generate', '--schema', schema],
    { cwd: ROOT },
  );
  return await generating.then(
    () => '',
    (error: unknown) => String(error instanceof Error && 'stderr' in error ? error.stderr : error),
  );
}

test('foreign keys that only Prisma enforces are refused', async () => {
  expect(await generate('relationMode = "prisma"')).toContain(
    'batched-prisma needs foreign keys in the database',
  );
  expect(await generate('relationMode = "foreignKeys"')).toBe('');
});

test('the models have the order, operator classes and methods of all indexes', () => {
  const { indexes, orderedIndexes } = modelOf('Loan');
  const [id, serial, title] = ['id', 'serial', 'title'].map((field) => ({ field, order: 'asc' }));
  expect(orderedIndexes).toEqual(
    expect.arrayContaining([
      { fields: [id] },
      { fields: [{ field: 'due', order: 'desc' }, title, id] },
      { fields: [{ field: 'holder', order: 'asc', ops: 'varchar_pattern_ops' }, title, id] },
      { fields: [serial, { field: 'id', order: 'desc' }] },
    ]),
  );
  expect(indexes).toContainEqual(['title', 'due', 'id']);
  expect(indexes).not.toContainEqual(['due', 'title', 'id']);
  expect(modelOf('AllDefaults').orderedIndexes).toContainEqual({
    fields: [{ field: 'json', order: 'asc', ops: 'JsonbPathOps' }],
    type: 'Gin',
  });
});
