import { keys, seed } from '../support/store-commands.ts';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { startGateway } from '@store-gateway/gateway';
import { gateway } from '../../src/gateway.ts';
import type { Command, Options } from '@store-gateway/ops/command-line';
import { restAnimal } from '../support/animals.ts';
import { runInProcess } from '../support/command.ts';
import { requestOf } from '../support/gateway.ts';
import { database } from '../support/migrating.ts';
import { startProxyServer } from '../support/database-proxy.ts';
import { startRefusal } from '../support/start-refusal.ts';

type EmptyDatabase = Awaited<ReturnType<typeof database>>;

function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    changed.searchParams.set(name, value);
  }
  return changed.href;
}

/** Creates a role that has a schema of its own name, first in its search_path, but no rights on other schemas. */
async function roleWithSchema({ url, client }: EmptyDatabase): Promise<string> {
  const role = `role_${randomBytes(8).toString('hex')}`;
  await client.query(
    `CREATE ROLE ${role} LOGIN PASSWORD 'secret'; CREATE SCHEMA ${role} AUTHORIZATION ${role}`,
  );
  const changed = new URL(url);
  changed.username = role;
  changed.password = 'secret';
  return changed.href;
}

/** Starts a service with a first API key. `succeed` runs commands on the same store. */
async function startStore(databaseUrl: string) {
  const env = { DATABASE_URL: databaseUrl };
  const service = await startGateway(gateway, env);
  const key = await service.createKey('first');
  const request = requestOf(service.url, key);
  const succeed = async <O extends Options>(command: Command<O>, ...args: string[]) => {
    const { stdout, ...outcome } = await runInProcess(command, args, { env });
    expect(outcome).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  return {
    key,
    request,
    succeed,
    add: async (name: string) => {
      const answer = await request('/v1/pets', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': '"the same"' },
        body: JSON.stringify({ name, categoryId: 1 }),
      });
      return answer.text;
    },
    names: async () => (await request('/graphql?query={pets{name}}')).text,
    statusWith: async (otherKey: string) => {
      const headers = { Authorization: `Bearer ${otherKey}` };
      return (await request('/v1/pets', { headers })).status;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

test.each<{ what: string; storeIn: (database: EmptyDatabase) => string | Promise<string> }>([
  { what: '?schema=', storeIn: ({ url }) => withParameters(url, { schema: 'shop' }) },
  {
    what: 'search_path in options',
    storeIn: async ({ url, client }) => {
      await client.query('CREATE SCHEMA shop');
      return withParameters(url, { options: '-c search_path=shop' });
    },
  },
  { what: "the role's name", storeIn: roleWithSchema },
])('a store in a schema chosen by $what is separate from one in public', async ({ storeIn }) => {
  const store = await database();
  await using inPublic = await startStore(store.url);
  await using other = await startStore(await storeIn(store));

  const made = await other.succeed(keys, 'create', 'second');
  expect(await inPublic.statusWith(other.key)).toBe(401);
  expect(await inPublic.statusWith(made.trim())).toBe(401);
  expect(await other.statusWith(inPublic.key)).toBe(401);
  expect(await other.statusWith(made.trim())).toBe(200);

  expect(await inPublic.add('Rex')).toBe(restAnimal({ id: 1, name: 'Rex' }));
  expect(await other.add('Tom')).toBe(restAnimal({ id: 1, name: 'Tom' }));
  expect(await other.add('Tom')).toBe(restAnimal({ id: 1, name: 'Tom' }));
  expect(await other.succeed(seed, '2')).toBe('added 2 animals\n');
  expect(await inPublic.names()).toBe('{"data":{"pets":[{"name":"Rex"}]}}');
  expect(await other.names()).toMatch(
    /^{"data":{"pets":\[{"name":"Tom"}(?:,{"name":"\w+"}){2}\]}}$/,
  );

  expect(await other.succeed(keys, 'revoke', '1')).toBe('revoked 1\n');
  const listed = async (one: typeof other) =>
    (await one.succeed(keys, 'list')).replaceAll(/ {2,}\S+Z/g, '').split('\n');
  expect(await listed(other)).toEqual([
    expect.stringMatching(/^ID/),
    expect.stringMatching(/^1 +revoked .*first$/),
    expect.stringMatching(/^2 +valid .*second$/),
    '',
  ]);
  expect(await listed(inPublic)).toEqual([
    expect.stringMatching(/^ID/),
    expect.stringMatching(/^1 +valid .*first$/),
    '',
  ]);
});

test.each([
  'Shop',
  'two words\tand a tab',
  `"quoted" 'twice' \\ $1`,
  'søppel 🐕 č',
  'ø'.repeat(31),
  '%41&=+',
])('a schema can be named %s', async (schema) => {
  const { url, client } = await database();
  const env = { DATABASE_URL: withParameters(url, { schema }) };
  for (const name of ['first', 'second']) {
    expect(await runInProcess(keys, ['create', name], { env })).toMatchObject({ stderr: '' });
  }
  const { stdout } = await runInProcess(keys, ['list'], { env });
  expect(stdout).toMatch(/first\n.*second\n$/s);
  const made = `SELECT DISTINCT schemaname FROM pg_tables WHERE tablename = 'pets'`;
  expect((await client.query(made)).rows).toEqual([{ schemaname: schema }]);
});

test('startup fails if search_path begins with an empty schema but the store is in a later one', async () => {
  const { url, client } = await database();
  await runInProcess(keys, ['create', 'first'], { env: { DATABASE_URL: url } });
  await client.query('CREATE SCHEMA animal_store');
  const address = new URL(url).searchParams.get('host');
  const refusal = `The database at ${address} (DATABASE_URL) cannot be used: search_path begins with the schema "animal_store", and there is a store in "public"; add schema=… to the URL to choose one.`;
  expect(await startRefusal({ databaseUrl: url })).toBe(refusal);

  const keysIn = async (schema: string) => {
    const env = { DATABASE_URL: withParameters(url, { schema }) };
    return (await runInProcess(keys, ['list'], { env })).stdout.split('\n').slice(1, -1).length;
  };
  expect([await keysIn('public'), await keysIn('animal_store')]).toEqual([1, 0]);
  expect(await startRefusal({ databaseUrl: url })).toBe(refusal);
});

test('a search_path without a usable schema is reported', async () => {
  const { url } = await database();
  const databaseUrl = withParameters(url, { options: '-c search_path=missing' });
  expect(await startRefusal({ databaseUrl })).toMatch(
    /cannot be used: search_path has no schema that exists and that the role may use\.$/,
  );
});

test("a schema that the role can't create is reported", async () => {
  const store = await database();
  const databaseUrl = withParameters(await roleWithSchema(store), { schema: 'shop' });
  const name = new URL(store.url).pathname.slice(1);
  expect(await startRefusal({ databaseUrl })).toBe(
    `The database cannot be migrated: permission denied for database ${name}.`,
  );
});

test('a pooler that drops search_path is detected before anything is read or written', async () => {
  const { url, client } = await database();
  await using pooler = await startProxyServer(url, (socket, server) => {
    // Renames search_path to a setting that has no effect.
    socket.on('data', (sent: Buffer) => {
      server.write(sent.toString('latin1').replace('search_path', 'pooler.path'), 'latin1');
    });
    server.pipe(socket);
  });
  const databaseUrl = withParameters(pooler.url, { schema: 'shop' });
  expect(await startRefusal({ databaseUrl })).toBe(
    `The database at ${new URL(pooler.url).host} (DATABASE_URL) cannot be used: a pooler in front of it keeps its own search_path: the schema is "public", not "shop".`,
  );
  const history = `SELECT FROM pg_tables WHERE tablename = '_prisma_migrations'`;
  expect(await client.query(history)).toMatchObject({ rowCount: 0 });
});
