import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

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
