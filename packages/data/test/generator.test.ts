import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { modelOf } from './clients.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs `prisma generate` for a schema with only our generator. @returns the generated models, and any error output */
async function generate(datasource: string, model = 'id BigInt @id') {
  await using folder = await temporaryDirectory();
  const schema = join(folder.path, 'schema.prisma');
  await writeFile(
    schema,
    `generator models {
  provider        = "store-gateway-models"
  output          = "./models.ts"
  previewFeatures = ["partialIndexes"]
}
datasource db {
  provider = "postgresql"
  ${datasource}
}
model Thing {
  ${model}
}
`,
  );
  const prisma = join(ROOT, 'node_modules/prisma/build/index.js');
  const generating = promisify(execFile)(
    process.execPath,
    [prisma, 'generate', '--schema', schema],
    { cwd: ROOT },
  );
  const fault = await generating.then(
    () => '',
    (error: unknown) => String(error instanceof Error && 'stderr' in error ? error.stderr : error),
  );
  return { fault, models: fault || (await readFile(join(folder.path, 'models.ts'), 'utf8')) };
}

test('the generator rejects a schema whose foreign keys are enforced only by Prisma', async () => {
  const { fault } = await generate('relationMode = "prisma"');
  expect(fault).toContain('store-gateway-models needs foreign keys in the database');
  expect(await generate('relationMode = "foreignKeys"')).toMatchObject({ fault: '' });
});

test("the generator rejects a model that uses one of the gateway's tables", async () => {
  const { fault } = await generate('', 'id BigInt @id\n  @@map("_gateway_idempotency_keys")');
  expect(fault).toContain(
    "the model Thing can't use the table _gateway_idempotency_keys, which belongs to the gateway",
  );
});

test('the generator omits partial indexes', async () => {
  const { models } = await generate(
    '',
    `id BigInt @id
  code  String @unique(where: { title: "x" })
  title String
  where String
  @@index([title(sort: Desc, ops: raw("text_pattern_ops")), id], where: raw("title[1] > 'where:'"))
  @@index(fields: [title, code], where: { title: "x" })
  @@index([where, title]) // but not where: this one is whole
  @@unique([where, id], where: { title: "x" })`,
  );
  expect(models).toMatch(
    /"indexes":\[\{"fields":\[\{"field":"id","order":"asc"\}\]\},\{"fields":\[\{"field":"where","order":"asc"\},/,
  );
  expect(models.match(/"fields":/g)).toHaveLength(2);
});

test("the generator writes each index's order, operator classes and method", () => {
  const { indexes } = modelOf('Loan');
  const [id, serial, title] = ['id', 'serial', 'title'].map((field) => ({ field, order: 'asc' }));
  expect(indexes).toEqual(
    expect.arrayContaining([
      { fields: [id] },
      { fields: [{ field: 'due', order: 'desc' }, title, id] },
      { fields: [{ field: 'holder', order: 'asc', ops: 'varchar_pattern_ops' }, title, id] },
      { fields: [serial, { field: 'id', order: 'desc' }] },
    ]),
  );
  expect(modelOf('AllDefaults').indexes).toContainEqual({
    fields: [{ field: 'json', order: 'asc', ops: 'JsonbPathOps' }],
    type: 'Gin',
  });
});
