import { text } from '@store-gateway/graphql';
import { callerOfId } from '../../packages/access/src/keys/api-keys.ts';
import { graphql } from 'graphql';
import { expect, test } from 'vitest';
import type { Prisma } from '../../prisma/generated/client.ts';
import { violationIn } from '../../packages/gateway/src/schema/builder-options.ts';
import { animalsBuilder } from '../support/declared-store.ts';
import { startGateway } from '../support/gateway.ts';
import { memberAt } from '../support/json-members.ts';
import { openDatabase } from '../support/store-database.ts';

// The owner of this store has added constraints to its table.
const { database, graphql: ask, request } = await startGateway();
await database.$executeRawUnsafe(`CREATE TABLE kinds (id smallint PRIMARY KEY)`);
await database.$executeRawUnsafe(`INSERT INTO kinds VALUES (1)`);
await database.$executeRawUnsafe(`
  ALTER TABLE pets ADD CONSTRAINT one_of_a_name UNIQUE (name),
    ADD CONSTRAINT of_a_kind FOREIGN KEY (category_id) REFERENCES kinds,
    ADD CONSTRAINT no_rats CHECK (name <> 'rat'),
    ALTER name TYPE varchar(20), ALTER category_id TYPE smallint`);

const VIOLATIONS_OF_CREATES = [
  ['a taken value', { name: 'Taken', categoryId: 1 }, 'CONFLICT', 409, 'name is already taken'],
  [
    'an id that does not exist',
    { name: 'Free', categoryId: 2 },
    'BAD_USER_INPUT',
    400,
    'categoryId refers to something that does not exist',
  ],
  [
    'a value that violates a check constraint',
    { name: 'rat', categoryId: 1 },
    'BAD_USER_INPUT',
    400,
    'name has a value that is not allowed',
  ],
  [
    'text that is too long for its column',
    { name: 'x'.repeat(21), categoryId: 1 },
    'BAD_USER_INPUT',
    400,
    'name is too large or too long',
  ],
  [
    'a number that is too large for its column',
    { name: 'Free', categoryId: 70_000 },
    'BAD_USER_INPUT',
    400,
    'categoryId is too large or too long',
  ],
] as const;

const create = (body: object, key?: string) =>
  request('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) },
    body: JSON.stringify(body),
  });

await create({ name: 'Taken', categoryId: 1 });

test.each(VIOLATIONS_OF_CREATES)(
  "%s is reported with its input's name in both APIs, with and without an idempotency key",
  async (what, input, code, status, message) => {
    const key = what.replaceAll(' ', '-');
    for (const answer of [
      await create(input),
      await create(input, key),
      await create(input, key),
    ]) {
      expect(answer.json).toEqual({ code, message, status });
      expect(answer.status).toBe(status);
    }
    const { json } = await ask('mutation($input: NewPet!) { createPet(input: $input) { id } }', {
      input,
    });
    const faults = [{ path: ['input', message.split(' ')[0]], message }];
    expect(json).toMatchObject({ errors: [{ message, extensions: { code, status, faults } }] });
  },
);

test('an idempotency key can be used again after the database rejected its create', async () => {
  const refused = await create({ name: 'rat', categoryId: 1 }, 'corrected');
  expect(refused.status).toBe(400);
  expect((await create({ name: 'mouse', categoryId: 1 }, 'corrected')).status).toBe(201);
});

const builder = animalsBuilder();
const UNKNOWN = { where: { id: 404n } };
builder.queryType({
  fields: (t) => ({
    get: t.string({
      resolve: async (_root, _args, { database: { pet } }) =>
        (await pet.findUniqueOrThrow(UNKNOWN)).name,
    }),
  }),
});
builder.mutationType({
  fields: (t) => ({
    update: t.string({
      resolve: async (_root, _args, { database: { pet } }) =>
        (await pet.update({ ...UNKNOWN, data: { name: 'x' } })).name,
    }),
    delete: t.string({
      resolve: async (_root, _args, { database: { pet } }) => (await pet.delete(UNKNOWN)).name,
    }),
    inTransaction: t.string({
      resolve: (_root, _args, context) =>
        context.database.$transaction(async ({ pet }) => (await pet.delete(UNKNOWN)).name),
    }),
    inList: t.string({
      resolve: async (_root, _args, context) => {
        await context.database.$transaction([context.database.pet.delete(UNKNOWN)]);
        return '';
      },
    }),
    name: t.string({
      args: { name: t.arg.string({ required: true, rule: text(1, 255) }) },
      resolve: async (_root, { name }, { database: { pet } }) => {
        const { id } = await pet.findFirstOrThrow({ where: { name: 'Taken' } });
        await pet.create({ data: { name: 'Other', categoryId: 1n, status: 'sold' } });
        return (await pet.update({ where: { id }, data: { name } })).name;
      },
    }),
    fail: t.string({
      resolve: () => {
        throw new TypeError('a mistake');
      },
    }),
  }),
});
const schema = builder.toSchema();

async function run(source: string) {
  const { $violatedFields: violatedFields } = database;
  const contextValue = { database, violatedFields, now: Date.now, caller: callerOfId(1n, 'all') };
  return graphql({ schema, source, contextValue });
}

test.each([
  '{ get }',
  'mutation { update }',
  'mutation { delete }',
  'mutation { inTransaction }',
  'mutation { inList }',
])('an unknown id fails with NOT_FOUND: %s', async (source) => {
  expect(await run(source)).toMatchObject({
    errors: [{ message: 'There is no string with this id', extensions: { code: 'NOT_FOUND' } }],
  });
});

test("an update to a taken value fails with CONFLICT and the argument's path", async () => {
  expect(await run('mutation { name(name: "Other") }')).toMatchObject({
    errors: [
      {
        message: 'name is already taken',
        extensions: { code: 'CONFLICT', faults: [{ path: ['name'] }] },
      },
    ],
  });
});

test('other errors are not reported as violations', async () => {
  expect(await run('mutation { fail }')).toMatchObject({ errors: [{ message: 'a mistake' }] });
});

const lost = openDatabase('postgresql://nobody:no@127.0.0.1:1/nowhere');

/** The violation in a failed call's error. */
async function violationOf(call: Promise<unknown>, of = database) {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return violationIn(error, { violatedFields: of.$violatedFields });
}

test('a constraint checked at commit is reported with its columns', async () => {
  await database.$executeRawUnsafe(
    'ALTER TABLE pets ALTER CONSTRAINT of_a_kind DEFERRABLE INITIALLY DEFERRED',
  );
  const data = { name: 'x', categoryId: 404n, status: 'sold' } as const;
  const violation = await violationOf(database.$transaction(({ pet }) => pet.create({ data })));
  await database.$executeRawUnsafe('ALTER TABLE pets ALTER CONSTRAINT of_a_kind NOT DEFERRABLE');
  expect(violation).toMatchObject({ kind: 'reference' });
  expect(violation?.fields).toContain('categoryId');
});

test('deleting a referenced row reports the models that refer to it', async () => {
  const violation = await violationOf(database.$executeRaw`DELETE FROM kinds`);
  expect(violation).toMatchObject({ kind: 'reference', holders: ['Pet'] });
});

test('a transaction on an unreachable database fails with SERVICE_UNAVAILABLE', async () => {
  const call = lost.$transaction(({ pet }) => pet.count());
  await expect(violationOf(call, lost)).rejects.toMatchObject({
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
  await lost.$disconnect();
});

const byREST = async (name: string, key?: string) =>
  (await create({ name, categoryId: 1 }, key)).status;

const byClient =
  (call: (data: Prisma.PetUncheckedCreateInput) => Promise<unknown>) => (name: string) =>
    call({ name, categoryId: 1n, status: 'sold' }).then(
      () => 201,
      (error: unknown) => memberAt(error, 'extensions', 'status'),
    );

test.each<[what: string, create: (name: string) => Promise<unknown>]>([
  ['a create', byREST],
  ['a create with an idempotency key', (name) => byREST(name, name.replaceAll(' ', '-'))],
  [
    'an interactive transaction',
    byClient((data) => database.$transaction(({ pet }) => pet.create({ data }))),
  ],
  [
    'a transaction with a list of calls',
    byClient((data) => database.$transaction([database.pet.create({ data })])),
  ],
])(
  '%s that conflicts with other transactions is tried three times, then returns 503',
  async (what, createNamed) => {
    await database.$executeRawUnsafe('CREATE SEQUENCE IF NOT EXISTS attempts');
    await database.$executeRawUnsafe('ALTER SEQUENCE attempts RESTART');
    // A sequence is not rolled back with its transaction.
    await database.$executeRawUnsafe(`
    CREATE OR REPLACE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempts') % 3 <> 0 OR NEW.name LIKE 'never%' THEN
        RAISE EXCEPTION USING ERRCODE = CASE WHEN NEW.name LIKE 'dead%' THEN '40P01' ELSE '40001' END;
      END IF;
      RETURN NEW;
    END $$`);
    await database.$executeRawUnsafe(
      'CREATE OR REPLACE TRIGGER lose BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION lose()',
    );
    const statuses = [];
    for (const name of ['late', 'dead', 'never']) {
      statuses.push(await createNamed(`${name} ${what.slice(2, 16)}`));
    }
    await database.$executeRawUnsafe('DROP TRIGGER lose ON pets');
    expect(statuses).toEqual([201, 201, 503]);
    const [attempts] = await database.$queryRaw<unknown[]>`SELECT last_value FROM attempts`;
    expect(attempts).toEqual({ last_value: 9n });
  },
);

test('a create without a required value gets BAD_USER_INPUT in both APIs, with and without an idempotency key', async () => {
  await database.$executeRawUnsafe(`ALTER TABLE pets ADD kind text NOT NULL DEFAULT 'dog'`);
  await database.$executeRawUnsafe('ALTER TABLE pets ALTER kind DROP DEFAULT');
  const refusal = { code: 'BAD_USER_INPUT', message: 'A required value is missing', status: 400 };
  const input = { name: 'Kim', categoryId: 1 };
  for (const key of [undefined, 'once', 'once']) {
    expect(await create(input, key)).toMatchObject({ status: 400, json: refusal });
  }
  const { message, ...extensions } = refusal;
  const createPet = 'mutation($input: NewPet!) { createPet(input: $input) { id } }';
  expect((await ask(createPet, { input })).json).toMatchObject({
    errors: [{ message, extensions }],
  });
  await database.$executeRawUnsafe(`ALTER TABLE pets ALTER COLUMN kind SET DEFAULT 'dog'`);
  expect((await create(input, 'once')).status).toBe(201);
});
