import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { expect, test } from 'vitest';
import { prepareOperation } from '../src/operation.ts';

/** Things, and what represents the result of a document. */
function representing(document: string, resolve?: () => string) {
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
        extensions: { isVersion: true, pothosExposedField: 'version' },
      },
    },
  });
  const things = { type: new GraphQLList(type) };
  const query = new GraphQLObjectType({ name: 'Query', fields: { thing: { type }, things } });
  return prepareOperation(new GraphQLSchema({ query }), document, true).represent;
}

/** The tags of two results of the same version, in which a member differs. */
function tagsOf(resolve?: () => string): string[] {
  const represent = representing('query thing { thing { title } }', resolve);
  return ['seen', null].map((title) => represent({ title, __version: 'v1' }).etag());
}

test('where columns are as they are, a tag follows from the version alone', () => {
  const [one, other] = tagsOf();
  expect(one).toMatch(/^"v1-/);
  expect(other).toBe(one);
});

test('a column that a plugin hides from some callers has another tag for them', () => {
  const [seen, hidden] = tagsOf(() => 'of a plugin');
  expect(seen).toMatch(/^"v1-/);
  expect(hidden).not.toBe(seen);
});

test('a list whose versions are selected has another tag whenever its rows differ', () => {
  const represent = representing('query things { things { title version } }');
  const [row, changed] = ['v1', 'v2'].map((version) => ({ title: 'a', version }));
  const tags = [[], [row], [changed], [row, changed]].map((rows) => represent(rows).etag());
  expect(new Set(tags).size).toBe(tags.length);
  expect(tags.join()).not.toContain('undefined');
});
