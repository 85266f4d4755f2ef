import { expect, test } from 'vitest';
import { applyMigrations } from '@store-gateway/local/migrations';
import { auditCommand } from '../../packages/gateway/src/commands/audit.ts';
import { gateway } from '../../src/gateway.ts';
import { expectAllOwnTables } from '../support/all-own-tables.ts';
import { auditedApi, startAuditedAnimals } from '../support/audited-animals.ts';
import { runInProcess } from '../support/command.ts';
import { earlierDatabase } from '../support/earlier-database.ts';
import { startPatientService } from '../support/service.ts';
import { deprecations, keys } from '../support/store-commands.ts';
import { MIGRATIONS } from '../support/store-database.ts';

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
