import assert from 'node:assert/strict';
import type { Context } from '../../packages/gateway/src/definition.ts';
import { text } from '@store-gateway/graphql';
import { callerOfId } from '../../packages/access/src/keys/api-keys.ts';
import SchemaBuilder from '@pothos/core';
import { PrismaPg } from '@prisma/adapter-pg';
import { graphql, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { PrismaClient } from '../../packages/gateway/test/generated/client.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';
import { deduplicating } from '../../packages/gateway/src/schema/idempotency.ts';
import { RESOURCES } from '@store-gateway/resource';
import { startGateway } from '../support/gateway.ts';

const { tables } = await startGateway();

const builder = new SchemaBuilder<{ Context: Context<PrismaClient> }>({
  plugins: [RESOURCES],
  idempotency: { deduplicating },
  // Required options that these tests do not use.
  prisma: { client: new PrismaClient({ adapter: new PrismaPg({}) }), dmmf: getDatamodel() },
  violations: { violationOf: () => Promise.resolve(undefined) },
  lifecycle: { now: Date.now },
});
let attempts = 0;

builder.queryType({ fields: (t) => ({ none: t.boolean({ resolve: () => true }) }) });
builder.mutationType({
  fields: (t) => ({
    store: t.string({
      idempotency: true,
      args: { hash: t.arg.string({ required: true, rule: text(1, 255) }) },
      resolve: async (_root, { hash }, context) => {
        const data = { hash, document: 'of a resolver that knows nothing of keys' };
        return (await context.database.trustedDocument.create({ data })).hash;
      },
    }),
    describe: t.string({
      idempotency: true,
      args: {
        hash: t.arg.string({ required: true, rule: text(1, 255) }),
        note: t.arg.string({ rule: text(1, 255) }),
      },
      resolve: async (_root, { hash }, { database: { trustedDocument } }) => {
        const data = { document: 'described' };
        return (await trustedDocument.update({ where: { hash }, data })).hash;
      },
    }),
    count: t.int({
      resolve: (_root, _args, context) => context.database.trustedDocument.count(),
    }),
    nest: t.boolean({
      idempotency: true,
      resolve: async (_root, _args, context) => {
        const key = { create: { name: 'nested', hash: new Uint8Array(32) } };
        await context.database.deprecatedCalls.create({
          data: { key, field: 'pet', calls: 1n, lastAt: new Date() },
        });
        return true;
      },
    }),
    storePair: t.string({
      idempotency: true,
      args: { hash: t.arg.string({ required: true, rule: text(1, 255) }) },
      resolve: async (_root, { hash }, { database: { trustedDocument } }) => {
        for (const each of [`${hash}-a`, `${hash}-b`]) {
          // The first attempt fails at its first row.
          attempts += 1;
          const id = attempts === 1 ? { hash: 'taken' } : { hash: each };
          await trustedDocument.create({ data: { ...id, document: '' } });
        }
        return hash;
      },
    }),
    remove: t.boolean({
      idempotency: true,
      resolve: async (_root, _args, context) => {
        await context.database.trustedDocument.deleteMany();
        return true;
      },
    }),
    replace: t.boolean({
      resolve: async (_root, _args, { database: { trustedDocument } }) => {
        const { hash } = await trustedDocument.create({ data: { hash: 'new', document: '' } });
        await trustedDocument.deleteMany({ where: { hash: { not: hash } } });
        return true;
      },
    }),
  }),
});
const schema = builder.toSchema();

const send = (mutation: string, key?: string) => execute(`mutation { ${mutation} }`, key);

function execute(source: string, key?: string, variableValues = {}, of = schema) {
  const caller = callerOfId(1n, 'all');
  const contextValue = { database: tables, now: Date.now, caller, idempotencyKey: key };
  return graphql({ schema: of, source, contextValue, variableValues });
}

test('a retry is recognized by a later version of the schema that has an additional argument', async () => {
  const earlier = builder.toSchema();
  const field = earlier.getMutationType()?.getFields()['describe'];
  assert(field);
  field.args = field.args.filter(({ name }) => name !== 'note');
  await tables.trustedDocument.create({ data: { hash: 'described', document: '' } });
  const source = 'mutation { describe(hash: "described") }';
  const described = { data: { describe: 'described' } };
  expect(await execute(source, 'described', {}, earlier)).toEqual(described);
  expect(await execute(source, 'described')).toEqual(described);
});

test('a mutation that supports idempotency keys accepts them as a header and as an argument', async () => {
  expect(printSchema(schema)).toMatch(/store\([^)]*idempotencyKey: String[^)]*\): String/s);
  expect(printSchema(schema)).toContain('count: Int');
  const stored = { data: { store: 'one' } };
  expect(await send('store(hash: "one")', 'a key')).toEqual(stored);
  expect(await send('store(hash: "one")', 'a key')).toEqual(stored);
  expect(await send('store(hash: "one", idempotencyKey: "a key")')).toEqual(stored);
  expect(await tables.trustedDocument.count({ where: { hash: 'one' } })).toBe(1);
});

test('an idempotency key that was used for a different request is rejected', async () => {
  await send('store(hash: "two")', 'taken');
  expect(await send('store(hash: "three")', 'taken')).toMatchObject({
    errors: [
      {
        message: 'This Idempotency-Key was already used for a different request',
        extensions: { code: 'IDEMPOTENCY_KEY_REUSED' },
      },
    ],
  });
});

test('the idempotency keys of a mutation do not depend on writes by earlier mutations', async () => {
  await tables.trustedDocument.create({ data: { hash: 'taken', document: '' } });
  const both = 'storePair(hash: "pair") store(hash: "behind")';
  expect(await send(both, 'for both')).toMatchObject({
    data: { storePair: null, store: 'behind' },
  });
  const retried = { data: { storePair: 'pair', store: 'behind' } };
  expect(await send(both, 'for both')).toEqual(retried);
  expect(await send(both, 'for both')).toEqual(retried);
});

test.each([
  'mutation($no: Boolean!) { no: store(hash: "left out") @include(if: $no) ...Behind } fragment Behind on Mutation { store(hash: "placed") }',
  'mutation { other: store(hash: "own", idempotencyKey: "of its own") ... on Mutation { __typename store(hash: "placed") } }',
])("the first mutation that uses the request's key uses it unchanged: %s", async (source) => {
  await send('store(hash: "placed")', 'placed');
  const again = await execute(source, 'placed', { no: false });
  expect(again.errors).toBeUndefined();
  expect(again.data).toMatchObject({ store: 'placed' });
});

test('an idempotency key that a mutation would ignore is rejected', async () => {
  expect((await send('count')).errors).toBeUndefined();
  // 'replace' is rejected before it has added anything.
  for (const mutation of ['count', 'remove', 'nest', 'replace']) {
    expect(await send(mutation, 'ignored')).toMatchObject({
      errors: [
        {
          message: 'This mutation does not accept an Idempotency-Key',
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
  }
  const documents = await tables.trustedDocument.findMany({ take: 10 });
  expect(documents.map(({ hash }) => hash)).toEqual(expect.arrayContaining(['one', 'two']));
  expect(documents.map(({ hash }) => hash)).not.toContain('new');
});
