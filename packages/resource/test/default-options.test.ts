import SchemaBuilder from '@pothos/core';
import { graphql } from 'graphql';
import { expect, test } from 'vitest';
import { RESOURCES } from '../src/resource-plugin.ts';

const error = new Error('the database objects');

/** A schema whose builder has no options but the Prisma plugin's. */
function buildSchema() {
  const builder = new SchemaBuilder<object>({
    plugins: [RESOURCES],
    prisma: { client: { $connect: () => Promise.resolve() }, dmmf: { datamodel: { models: {} } } },
  });
  const deprecation = {
    since: '2026-01-01',
    removal: '2026-01-02',
    replacement: { inWords: 'the new one' },
  };
  builder.queryType({ fields: (t) => ({ old: t.boolean({ deprecation, resolve: () => true }) }) });
  builder.mutationType({
    fields: (t) => ({
      add: t.boolean({ idempotency: true, resolve: () => Promise.reject(error) }),
    }),
  });
  return builder.toSchema();
}

test('by default what was removed is gone by the clock of the process', async () => {
  const { errors } = await graphql({ schema: buildSchema(), source: '{ old }' });
  expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['GONE']);
});

test('by default mutations take no idempotency keys, and errors are what they were', async () => {
  const schema = buildSchema();
  const add = schema.getMutationType()?.getFields()['add'];
  expect([add?.args, add?.extensions.idempotency]).toEqual([[], false]);
  const { errors } = await graphql({ schema, source: 'mutation { add }' });
  expect(errors?.map(({ originalError }) => originalError)).toEqual([error]);
});
