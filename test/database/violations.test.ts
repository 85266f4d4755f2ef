import type { Context } from '../../packages/gateway/src/definition.ts';
import { text } from '@store-gateway/graphql';
import { callerOfId } from '../../packages/access/src/keys/api-keys.ts';
import SchemaBuilder from '@pothos/core';
import { PrismaPg } from '@prisma/adapter-pg';
import { graphql } from 'graphql';
import { expect, test } from 'vitest';
import { PrismaClient } from '../../prisma/generated/client.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';
import { deduplicating } from '../../packages/gateway/src/schema/idempotency.ts';
import { violationIn } from '../../packages/gateway/src/schema/builder-options.ts';
import { RESOURCES } from '@store-gateway/resource';
import { startGateway } from '../support/gateway.ts';

// A store whose owner has given its table constraints.
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
    'an id of nothing',
    { name: 'Free', categoryId: 2 },
    'BAD_USER_INPUT',
    400,
    'categoryId refers to something that does not exist',
  ],
  [
    'a value that a check refuses',
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
  '%s is answered in both APIs, with and without a key, by the name of its input',
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

test('a key under which the database refused a create is free for one that it takes', async () => {
  const refused = await create({ name: 'rat', categoryId: 1 }, 'corrected');
  expect(refused.status).toBe(400);
  expect((await create({ name: 'mouse', categoryId: 1 }, 'corrected')).status).toBe(201);
});

test('creates of one moment fail each for its own fault', async () => {
  const inputs = VIOLATIONS_OF_CREATES.map(([, input]) => input);
  const answers = await Promise.all(inputs.map((input) => create(input)));
  expect(answers.map(({ json }) => json)).toEqual(
    VIOLATIONS_OF_CREATES.map(([, , code, status, message]) => ({ code, message, status })),
  );
});

const builder = new SchemaBuilder<{ Context: Context<PrismaClient> }>({
  plugins: [RESOURCES],
  violations: { violationOf: violationIn },
  // Not used here, but asked for.
  idempotency: { deduplicating },
  prisma: { client: new PrismaClient({ adapter: new PrismaPg({}) }), dmmf: getDatamodel() },
  lifecycle: { now: Date.now },
});
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
    deleteKind: t.int({
      resolve: (_root, _args, context) =>
        context.database.$transaction(async (transaction) => {
          const { id } = await transaction.pet.findFirstOrThrow({ where: { name: 'Taken' } });
          await transaction.pet.update({ where: { id }, data: { status: 'sold' } });
          return transaction.$executeRaw`DELETE FROM kinds`;
        }),
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
])('an unknown id is NOT_FOUND: %s', async (source) => {
  expect(await run(source)).toMatchObject({
    errors: [{ message: 'There is no string with this id', extensions: { code: 'NOT_FOUND' } }],
  });
});

test('an update to a taken value is a CONFLICT that names the argument', async () => {
  expect(await run('mutation { name(name: "Other") }')).toMatchObject({
    errors: [
      {
        message: 'name is already taken',
        extensions: { code: 'CONFLICT', faults: [{ path: ['name'] }] },
      },
    ],
  });
});

test('what others refer to is not deleted, which is a CONFLICT of no input', async () => {
  const { errors } = await run('mutation { deleteKind }');
  expect(errors?.map(({ message, extensions }) => [message, extensions['code']])).toEqual([
    ['Other records still refer to this one', 'CONFLICT'],
  ]);
});

test('a mistake is no violation', async () => {
  expect(await run('mutation { fail }')).toMatchObject({ errors: [{ message: 'a mistake' }] });
});

test.each([
  ['a create', undefined],
  ['a create under a key', 'contended'],
])('%s that loses to other transactions is tried three times, then 503', async (_what, key) => {
  await database.$executeRawUnsafe('CREATE SEQUENCE IF NOT EXISTS attempts');
  await database.$executeRawUnsafe('ALTER SEQUENCE attempts RESTART');
  // A sequence goes on, whatever becomes of the transaction.
  await database.$executeRawUnsafe(`
    CREATE OR REPLACE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempts') < 3 OR NEW.name = 'never' THEN
        RAISE EXCEPTION USING ERRCODE = 'serialization_failure';
      END IF;
      RETURN NEW;
    END $$`);
  await database.$executeRawUnsafe(
    'CREATE OR REPLACE TRIGGER lose BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION lose()',
  );
  const created = await create({ name: `third time ${key === undefined}`, categoryId: 1 }, key);
  const lost = await create({ name: 'never', categoryId: 1 }, key && `${key}-again`);
  await database.$executeRawUnsafe('DROP TRIGGER lose ON pets');
  expect([created.status, lost.status]).toEqual([201, 503]);
});
