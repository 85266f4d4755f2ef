import { deprecations, keys, seed } from '../support/store-commands.ts';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import type { Command, Options } from '@store-gateway/ops/command-line';
import { expectAllOwnTables } from '../support/all-own-tables.ts';
import { restAnimal } from '../support/animals.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { runInProcess } from '../support/command.ts';
import { requestOf } from '../support/gateway.ts';
import { makeRestrictedStore } from '../support/restricted-role.ts';
import { firstKey, logWithoutDelays, startPatientService } from '../support/service.ts';

const { ownerUrl, serviceUrl } = await makeRestrictedStore();
const env = { DATABASE_URL: serviceUrl, MIGRATE: 'off' };

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  onFileFinished(() => client.end());
  return client;
}
const owner = await connect(ownerUrl);
const restricted = await connect(serviceUrl);

test('a role that may only read and write rows serves all that there is', async () => {
  await using service = await startPatientService(env);
  const key = await firstKey(service);
  // A name that is over, which can be taken again.
  await owner.query(
    `INSERT INTO _gateway_idempotency_keys (key_id, name, model, request, row, created_at)
     SELECT id, 'old', 'Any', '{}', '{}', now() - interval '2 days' FROM _gateway_api_keys`,
  );
  await expectAllOwnTables({
    service,
    key,
    env,
    idempotencyKey: 'old',
    client: owner,
    counts: '_gateway_rate_limit_counts',
  });
  const warnings = logWithoutDelays(service.child).match(/"level":[456]0.*/g) ?? [];
  expect(warnings.filter((line) => !line.includes('deprecated field called'))).toEqual([]);
});

/** Runs a command; tells what it has against that, '' if nothing. */
async function complaintOf<O extends Options>(command: Command<O>, ...args: string[]) {
  return (await runInProcess(command, args, { env })).stderr;
}

test('its commands work, too', async () => {
  expect(await complaintOf(keys, 'create', 'shop')).toBe('');
  const { rows } = await owner.query<{ id: string }>(
    `SELECT id FROM _gateway_api_keys WHERE name = 'shop'`,
  );
  const id = rows[0]?.id ?? '';
  expect(await complaintOf(keys, 'rotate', id, '--grace', '1h')).toBe('');
  expect(await complaintOf(keys, 'revoke', id)).toBe('');
  expect(await complaintOf(keys, 'list')).toBe('');
  expect(await complaintOf(deprecations)).toBe('');
  expect(await complaintOf(seed, '3')).toBe('');
});

test('it can do no more than that', async () => {
  for (const statement of [
    'CREATE TABLE more ()',
    'ALTER TABLE pets ADD more int',
    'DROP TABLE pets',
    'TRUNCATE pets',
    'CREATE INDEX ON pets (name)',
    'UPDATE _prisma_migrations SET finished_at = NULL',
    'DELETE FROM _prisma_migrations',
  ]) {
    await expect(restricted.query(statement)).rejects.toThrow(
      /^(?:permission denied|must be owner)/,
    );
  }
});

test('what a later migration of the owner makes, it can use', async () => {
  await owner.query('CREATE TABLE later (id bigserial PRIMARY KEY)');
  await restricted.query('INSERT INTO later DEFAULT VALUES');
  await restricted.query('UPDATE later SET id = 7');
  expect((await restricted.query('DELETE FROM later RETURNING id')).rows).toEqual([{ id: '7' }]);
});

test('a store in a schema of its own has such a role by the same statements, with its name for public', async () => {
  const store = await makeRestrictedStore('shop');
  const inShop = { DATABASE_URL: store.serviceUrl, MIGRATE: 'off' };
  await using service = await startPatientService(inShop);
  const request = requestOf(service.url, await firstKey(service));
  const created = await request('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"Rex","categoryId":1}',
  });
  expect(created).toMatchObject({ status: 201, text: restAnimal({ id: 1 }) });
  expect(await request('/readyz')).toMatchObject({ text: 'ready\n' });
  expect(await runInProcess(keys, ['list'], { env: inShop })).toMatchObject({ code: 0 });
  const elsewhere = store.serviceUrl.replace('schema=shop', 'schema=public');
  const { stderr } = await runInProcess(keys, ['list'], {
    env: { ...inShop, DATABASE_URL: elsewhere },
  });
  expect(stderr).toContain('The database lacks migrations of this version');
});

test('a role that may not use the schema is told, and not sent to migrate', async () => {
  const store = await makeRestrictedStore('shop');
  const operator = await connect(store.ownerUrl);
  const { username } = new URL(store.serviceUrl);
  await operator.query(`REVOKE USAGE ON SCHEMA shop FROM ${username}`);
  for (const mode of ['on', 'off']) {
    const refused = { DATABASE_URL: store.serviceUrl, MIGRATE: mode };
    const { stderr } = await runInProcess(keys, ['list'], { env: refused });
    expect(stderr).toMatch(/ cannot be used: its role may not use the schema "shop"\.\n$/);
  }
});
