import { GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { expect, test } from 'vitest';
import { prepareOperation } from '../src/operation.ts';

/** The tags of two results of the same version, in which a member differs. */
function tagsOf(resolve: (() => string) | undefined): string[] {
  const type = new GraphQLObjectType({
    name: 'Thing',
    fields: {
      title: {
        type: GraphQLString,
        extensions: { pothosExposedField: 'title' },
        ...(resolve && { resolve }),
      },
      version: {
        type: new GraphQLNonNull(GraphQLString),
        extensions: { isVersion: true },
      },
    },
  });
  const query = new GraphQLObjectType({ name: 'Query', fields: { thing: { type } } });
  const schema = new GraphQLSchema({ query });
  const { represent } = prepareOperation(schema, 'query thing { thing { title } }', true);
  return ['seen', null].map((title) => represent({ title, __version: 'v1' }).etag());
}

test('where columns are as they are, a tag follows from the version alone', () => {
  const [one, other] = tagsOf(undefined);
  expect(one).toMatch(/^"v1-/);
  expect(other).toBe(one);
});

test('a column that a plugin hides from some callers has another tag for them', () => {
  const [seen, hidden] = tagsOf(() => 'of a plugin');
  expect(seen).toMatch(/^"v1-/);
  expect(hidden).not.toBe(seen);
});
