import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { expect, test } from 'vitest';
import { prepareOperation } from '../src/operation.ts';
import { library, librarySchema, ROUTES } from './library.ts';

const [list] = ROUTES;
const withDocument = (document: string) => () => library(list && [{ ...list, document }]);

const INVALID = "A REST route's document is not valid for the schema";
const NOT_ONE = "A REST route's document must be one named operation that selects one field";

test.each([
  ['a field that the schema lacks', 'query a { entry(id: 1) { id owner } }', INVALID],
  ['an argument that the schema lacks', 'query a($x: Int) { entry(offset: $x) { id } }', INVALID],
  ['a variable of the wrong type', 'query a($x: String) { entry(id: $x) { id } }', INVALID],
  ['an unused fragment', 'query a { entry(id: 1) { id } } fragment E on Entry { id }', INVALID],
  ['an operation without a name', '{ entry(id: 1) { id } }', NOT_ONE],
  [
    'a second field that may find nothing without an error',
    'query two { entry(id: 1) { id } more: entry(id: 2) { id } }',
    NOT_ONE,
  ],
])('a document with %s is rejected at startup', (_what, document, message) => {
  expect(withDocument(document)).toThrow(message);
});

test('the document of a route may select further query fields, but no further mutation fields', () => {
  const schema = librarySchema();
  for (const field of [
    schema.getQueryType()?.getFields()['entry'],
    schema.getMutationType()?.getFields()['createEntry'],
  ]) {
    Object.assign(field?.extensions ?? {}, { notFound: 'There is no book' });
  }
  const start = (document: string) => library(list && [{ ...list, document }], schema);
  const { operation } =
    start('query list { entry(id: 1) { id } all: entriesConnection { nodes { id } } }').routes[0] ??
    {};
  expect(operation).toMatchObject({ key: 'all', notFound: 'There is no book' });
  const add = 'createEntry(input: { title: "A", authorIds: [] }) { id }';
  expect(() => start(`mutation two { ${add} more: ${add} }`)).toThrow(NOT_ONE);
});

test('variables are read from the path, the query or the body, and converted to their types', () => {
  const [entries, create, get] = library().routes;
  const nothing = { path: {}, query: {}, body: {} };
  expect(
    entries?.read({
      ...nothing,
      query: { limit: '5', isLent: 'false', minimumWeight: '0.5', after: '7', other: '1' },
    }),
  ).toEqual({ limit: 5, isLent: false, minimumWeight: 0.5, after: '7' });
  for (const [pages, read] of [
    [
      ['1', '2', 'x'],
      [1, 2, 'x'],
    ],
    ['3', [3]],
    ['3,4', [3, 4]],
  ]) {
    expect(entries?.read({ ...nothing, query: { pages } })).toEqual({ pages: read });
  }
  expect(entries?.read({ ...nothing, query: { limit: '', isLent: 'no' } })).toEqual({
    limit: '',
    isLent: 'no',
  });
  expect(get?.read({ ...nothing, path: { entryId: '9' }, query: { entryId: '1' } })).toEqual({
    entryId: '9',
  });
  const body = { title: 'A', authorIds: [2n ** 62n, 3, '4'], seriesId: null, pages: 5, owner: 6 };
  expect(create?.read({ ...nothing, body })).toEqual({
    input: { title: 'A', authorIds: [2n ** 62n, '3', Number.NaN], seriesId: null, pages: 5 },
  });
});

test('a representation writes ids as integers, and leaves strings that look like ids unchanged', () => {
  const [, create] = library().routes;
  const authors = [{ id: '9223372036854775807', name: '"id":"1"' }];
  expect(
    create?.operation.represent({ id: '42', title: '🐈', genre: 'poem', pages: null, authors })
      .body,
  ).toBe(
    '{"id":42,"title":"🐈","genre":"poem","pages":null,"authors":[{"id":9223372036854775807,"name":"\\"id\\":\\"1\\""}]}',
  );
});

test.each([
  ['-9223372036854775808', '-9223372036854775808'],
  ['0', '0'],
  ['-', '"-"'],
  ['', '""'],
  ['7e1', '"7e1"'],
  ['007', '"007"'],
  [null, 'null'],
  [['1', 'x', null], '[1,"x",null]'],
])('the id %j is written as %s', (id, written) => {
  const [, create] = library().routes;
  const entry = { title: 'A', genre: null, pages: null, authors: [] };
  expect(create?.operation.represent({ id, ...entry }).body).toBe(
    `{"id":${written},"title":"A","genre":null,"pages":null,"authors":[]}`,
  );
});

test('a field that is selected twice is written once, with all of its selections', () => {
  const document = 'query a { entry(id: 1) { title authors { id } title authors { name } } }';
  const [route] = withDocument(document)().routes;
  const entry = { title: 'A', authors: [{ id: '1', name: 'B' }] };
  expect(route?.operation.represent(entry).body).toBe(
    '{"title":"A","authors":[{"id":1,"name":"B"}]}',
  );
});

test('a field that a directive skips is omitted', () => {
  const document =
    'query a($is: Boolean = false) { entry(id: 1) { id @include(if: $is) title pages } }';
  const [route] = withDocument(document)().routes;
  expect(route?.operation.represent({ title: 'A', pages: 7 }).body).toBe('{"title":"A","pages":7}');
  expect(route?.operation.represent({ id: '1', title: 'A' }).body).toBe('{"id":1,"title":"A"}');
});

/** Returns a function that represents the results of a document about things. */
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

test.each([
  ['an ETag depends only on the version if resolvers change no columns', undefined, 1],
  ['callers from whom a column is hidden get a different ETag', () => 'of a plugin', 2],
])('%s', (_what, resolve, count) => {
  const represent = representing('query thing { thing { title } }', resolve);
  const tags = ['seen', null].map((title) => represent({ title, __version: 'v1' }).etag());
  expect(tags[0]).toMatch(/^"v1-/);
  expect(new Set(tags).size).toBe(count);
});

test('lists of versioned rows have different ETags whenever their rows differ', () => {
  const represent = representing('query things { things { title version } }');
  const [row, changed] = ['v1', 'v2'].map((version) => ({ title: 'a', version }));
  const tags = [[], [row], [changed], [row, changed]].map((rows) => represent(rows).etag());
  expect(new Set(tags).size).toBe(tags.length);
  expect(tags.join()).not.toContain('undefined');
});
