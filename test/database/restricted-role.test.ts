import { deprecations, keys, seed, migrate } from '../support/store-commands.ts';
import { Client } from 'pg';
import { expect, test, inject } from 'vitest';
import type { Command, Options } from '@store-gateway/ops/command-line';
import { expectAllOwnTables } from '../support/all-own-tables.ts';
import { restAnimal } from '../support/animals.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { runInProcess } from '../support/command.ts';
import { connectClient } from '../support/connect-client.ts';
import { requestOf } from '../support/gateway.ts';
import { firstKey, logWithoutDelays, startPatientService } from '../support/service.ts';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fencedBlocks } from '../support/documentation/steps.ts';

/** Creates a store with the owner and service roles of docs/postgresql.md, under unique names. */
async function makeRestrictedStore(schema = 'public') {
  const page = await readFile(new URL('../../docs/postgresql.md', import.meta.url), 'utf8');
  const name = `store_${randomBytes(4).toString('hex')}`;
  const [makeDatabase = '', grant = ''] = fencedBlocks(page)
    .filter(({ language, text }) => language === 'sql' && text.startsWith('CREATE ROLE'))
    .map(({ text }) => text.replaceAll('animal_store', name).replaceAll('public', schema));
  const adminUrl = inject('postgresUrl');
  await execute(adminUrl, makeDatabase);
  onFileFinished(() =>
    execute(adminUrl, `DROP DATABASE ${name} WITH (FORCE); DROP ROLE ${name}, ${name}_service`),
  );
  const urlOf = (username: string, password: string) =>
    `${Object.assign(new URL(adminUrl), { pathname: name, username, password }).href}&schema=${schema}`;
  const ownerUrl = urlOf(name, 'change-me');
  await runInProcess(migrate, [], { env: { DATABASE_URL: ownerUrl } });
  await execute(Object.assign(new URL(adminUrl), { pathname: name }).href, grant);
  return { ownerUrl, serviceUrl: urlOf(`${name}_service`, 'change-me-too') };
}

/** Runs the statements one by one, because CREATE DATABASE must be sent alone. */
async function execute(url: string, statements: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    for (const statement of statements.split(';\n').flatMap((part) => part.split('; '))) {
      await client.query(statement);
    }
  } finally {
    await client.end();
  }
}

const { ownerUrl, serviceUrl } = await makeRestrictedStore();
const env = { DATABASE_URL: serviceUrl, MIGRATE: 'off' };

const owner = await connectClient(ownerUrl, onFileFinished);
const restricted = await connectClient(serviceUrl, onFileFinished);

test('a role that can only read and write rows can run the whole service', async () => {
  await using service = await startPatientService(env);
  const key = await firstKey(service);
  // An expired idempotency key, which can be claimed again.
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

/** Runs a command and returns its stderr. */
async function complaintOf<O extends Options>(command: Command<O>, ...args: string[]) {
  return (await runInProcess(command, args, { env })).stderr;
}

test('the restricted role can run the commands', async () => {
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

test("the restricted role can't change tables or the migration history", async () => {
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

test('the restricted role can use tables that the owner creates later', async () => {
  await owner.query('CREATE TABLE later (id bigserial PRIMARY KEY)');
  await restricted.query('INSERT INTO later DEFAULT VALUES');
  await restricted.query('UPDATE later SET id = 7');
  expect((await restricted.query('DELETE FROM later RETURNING id')).rows).toEqual([{ id: '7' }]);
});

test('the same statements create a restricted role for a store in its own schema', async () => {
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

test('a role without USAGE on the schema gets an error that names the schema', async () => {
  const store = await makeRestrictedStore('shop');
  const operator = await connectClient(store.ownerUrl);
  const { username } = new URL(store.serviceUrl);
  await operator.query(`REVOKE USAGE ON SCHEMA shop FROM ${username}`);
  for (const mode of ['on', 'off']) {
    const refused = { DATABASE_URL: store.serviceUrl, MIGRATE: mode };
    const { stderr } = await runInProcess(keys, ['list'], { env: refused });
    expect(stderr).toMatch(/ cannot be used: its role may not use the schema "shop"\.\n$/);
  }
});
