import SchemaBuilder from '@pothos/core';
import { printSchema } from 'graphql';
import { PrismaPg } from '@prisma/adapter-pg';
import { expect, test } from 'vitest';
import { PrismaClient } from '../../src/database/generated/client.ts';
import { getDatamodel } from '../../src/database/generated/pothos.ts';
import { LIFECYCLE } from '@gateway/pothos-plugins/lifecycle-plugin';

/** A schema of fields at every stage of their lives. */
function printExample(): string {
  const builder = new SchemaBuilder<object>({
    plugins: [LIFECYCLE],
    // These plugins aren't used here, but their options are asked for.
    prisma: { client: new PrismaClient({ adapter: new PrismaPg({}) }), dmmf: getDatamodel() },
    idempotency: { deduplicating: (context) => context },
    lifecycle: { now: Date.now, onDeprecatedCall: () => {} },
  });
  builder.queryType({
    fields: (t) => ({
      plain: t.boolean({ description: 'Nothing is said of it.', resolve: () => true }),
      stable: t.boolean({ description: 'Here to stay.', stability: 'stable', resolve: () => true }),
      beta: t.boolean({ description: 'Being tried.', stability: 'beta', resolve: () => true }),
      experimental: t.boolean({ stability: 'experimental', resolve: () => true }),
      old: t.boolean({
        deprecation: {
          since: '2026-11-21',
          removal: '2027-02-01',
          replacement: {
            inWords: 'the new one',
            fields: ['stable'],
            arguments: { first: '1', status: 'sold' },
          },
        },
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
  old: Boolean @deprecated(reason: "To be removed on 1 February 2027. Use the new one instead: stable(first: 1, status: sold).")
}`);
});
