import { expect, test } from 'vitest';
import { applyMigrations } from '@store-gateway/prisma-migrations/apply';
import { auditCommand } from '../../packages/gateway/src/commands/audit.ts';
import { gateway } from '../../src/gateway.ts';
import { restAnimal } from '../support/animals.ts';
import { auditedApi, startAuditedAnimals } from '../support/audited-animals.ts';
import { runInProcess } from '../support/command.ts';
import { folderOf, sha256 } from '../support/documents.ts';
import { earlierDatabase } from '../support/earlier-database.ts';
import { requestOf } from '../support/gateway.ts';
import { startPatientService } from '../support/service.ts';
import { deprecations, documents, keys } from '../support/store-commands.ts';
import { MIGRATIONS } from '../support/store-database.ts';

test('a database of an earlier version is served, and used by commands, with the names that its tables have', async () => {
  const { url: DATABASE_URL, client } = await earlierDatabase();
  const env = { DATABASE_URL };
  await using service = await startPatientService({ ...env, WORKERS: '2' });
  const key = (await runInProcess(keys, ['create', 'shop'], { env })).stdout.trim();
  const request = requestOf(service.url, key);
  const create = () =>
    request('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
      body: '{"name":"Rex","categoryId":1}',
    });
  const rex = restAnimal({ id: 1 });
  expect([await create(), await create()]).toMatchObject([
    { status: 201, text: rex },
    { status: 201, text: rex },
  ]);
  expect(await request('/v1/pets/1')).toMatchObject({ status: 200, text: rex });
  expect(await request('/readyz')).toMatchObject({ text: 'ready\n' });

  const text = 'query Names { pets { name } }';
  await runInProcess(documents, [await folderOf({ 'names.graphql': text })], { env });
  const stored = await request(`/graphql?documentId=${sha256(text)}`);
  expect(stored.json).toEqual({ data: { pets: [{ name: 'Rex' }] } });
  await service.child.line('stdout', (line) => line.includes('"msg":"deprecated field called"'));
  expect((await runInProcess(deprecations, [], { env })).stdout).toContain('shop');
  const counted = () => client.query('SELECT FROM rate_limit_counts');
  await expect.poll(counted).toMatchObject({ rowCount: 1 });
});

test('changes in it are noted, and listed, by a process that learns of its names', async () => {
  const { url: databaseUrl } = await earlierDatabase();
  const { hasEarlierNames } = await applyMigrations(databaseUrl, MIGRATIONS);
  const { post } = await startAuditedAnimals({ databaseUrl, hasEarlierNames });
  expect((await post('/v1/pets', { name: 'Rex' })).status).toBe(201);
  const audit = await auditCommand({ ...gateway, load: () => Promise.resolve(auditedApi) });
  const { stdout } = await runInProcess(audit, [], { env: { DATABASE_URL: databaseUrl } });
  expect(stdout).toMatch(/createPet\s+create\s+Pet\s+1\b/);
});
