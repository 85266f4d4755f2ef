import SchemaBuilder from '@pothos/core';
import { printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { RESOURCES } from '@gateway/pothos-plugins/resource-plugin';

const deprecation = {
  since: '2026-11-21',
  removal: '2027-02-01',
  replacement: {
    inWords: 'the new one',
    fields: ['stable'],
    arguments: { first: '1', status: 'new' },
  },
} as const;

function createBuilder() {
  return new SchemaBuilder<object>({
    plugins: [RESOURCES],
    // Not used here, but asked for.
    prisma: { client: { $connect: () => Promise.resolve() }, dmmf: { datamodel: { models: {} } } },
    idempotency: { deduplicating: (context) => context },
    violations: { violationOf: () => Promise.resolve(undefined) },
    lifecycle: { now: Date.now },
  });
}

/** A schema of fields at every stage of their lives. */
function printExample(): string {
  const builder = createBuilder();
  builder.queryType({
    fields: (t) => ({
      plain: t.boolean({ description: 'Nothing is said of it.', resolve: () => true }),
      stable: t.boolean({ description: 'Here to stay.', stability: 'stable', resolve: () => true }),
      beta: t.boolean({ description: 'Being tried.', stability: 'beta', resolve: () => true }),
      experimental: t.boolean({ stability: 'experimental', resolve: () => true }),
      old: t.boolean({
        deprecation,
        resolve: () => true,
      }),
    }),
  });
  return printSchema(builder.toSchema({ sortSchema: false }));
}

test('a field says in its description that it may change, and in its reason when it goes', () => {
  expect(printExample()).toBe(`type Query {
  """Nothing is said of it."""
  plain: Boolean

  """Here to stay."""
  stable: Boolean

  """
  Being tried.
  
  Stability: beta.
  """
  beta: Boolean

  """Stability: experimental."""
  experimental: Boolean
  old: Boolean @deprecated(reason: "To be removed on 1 February 2027. Use the new one instead: stable(first: 1, status: new).")
}`);
});

test('a field of another type takes no deprecation', () => {
  const builder = createBuilder();
  builder.queryType({
    fields: (t) => ({ thing: t.field({ type: Thing, resolve: () => ({}) }) }),
  });
  const Thing = builder.objectRef<object>('Thing').implement({
    fields: (t) => ({ old: t.boolean({ deprecation, resolve: () => true }) }),
  });
  expect(() => builder.toSchema()).toThrow(
    "old can't be deprecated: only fields of Query and Mutation",
  );
});
