import { deprecations } from '../support/store-commands.ts';
import { openDatabase } from '../support/store-database.ts';
import { expect, inject, test } from 'vitest';
import { createKey } from '../../packages/api-keys/src/key-records.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { runInProcess } from '../support/command.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { openOwnTables } from '../support/own-tables.ts';
import { startPatientService } from '../support/service.ts';

const newDatabase = () => createDatabase(inject('postgresUrl'), { template: TEMPLATE });

const list = (databaseUrl: string) =>
  runInProcess(deprecations, [], { env: { DATABASE_URL: databaseUrl } });

const databaseUrl = await newDatabase();
const database = openDatabase(databaseUrl);
onFileFinished(() => database.$disconnect());
const tables = openOwnTables(databaseUrl);
const headers = { Authorization: `Bearer ${await createKey(database, 'first', null)}` };
await database.$executeRaw`
  INSERT INTO idempotency_keys (key_id, name, model, request, row, created_at)
  SELECT id, 'old', 'Any', '{}', '{}', now() - interval '25 hours' FROM api_keys`;
await database.$executeRaw`
  INSERT INTO rate_limit_counts VALUES ('key', 'old', 1, now() - interval '25 hours')`;
const service = await startPatientService({ DATABASE_URL: databaseUrl });

const countOldRows = () =>
  Promise.all([
    tables.idempotencyKey.count({ where: { name: 'old' } }),
    tables.rateLimitCount.count({ where: { subject: 'old' } }),
  ]);

test('a service removes the old data that it finds at its start', async () => {
  await expect.poll(countOldRows).toEqual([0, 0]);
});

test('a service that stops has told who calls what is deprecated: to its log, and to the command', async () => {
  await Promise.all([1, 2, 3].map((id) => fetch(`${service.url}/v1/pets/${id}`, { headers })));
  await service[Symbol.asyncDispose]();

  const lines = service.child
    .stdout()
    .split('\n')
    .filter((text) => text.includes('deprecated field called'))
    .map((text): unknown => JSON.parse(text));
  // One, unless the calls came far apart.
  for (const line of lines) {
    expect(line).toMatchObject({
      level: 40,
      keyId: '1',
      field: 'pet',
      calls: expect.any(Number) as unknown,
      msg: 'deprecated field called',
    });
  }
  expect(lines).not.toEqual([]);
  const { code, stdout, stderr } = await list(databaseUrl);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^FIELD {2}CALLS {2}LAST +KEY {2}NAME\npet {4}3 {6}\d{4}-\d\d-\d\dT[\d:.]+Z {2}1 {4}first\n$/,
  );
});

test('where nothing deprecated was called, there is nothing but the heading', async () => {
  expect(await list(await newDatabase())).toEqual({
    code: 0,
    stdout: 'FIELD  CALLS  LAST  KEY  NAME\n',
    stderr: '',
  });
});
