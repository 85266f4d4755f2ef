import { expect, test } from 'vitest';
import { library, librarySchema, ROUTES } from './library.ts';

const [list] = ROUTES;
const withDocument = (document: string) => () => library(list && [{ ...list, document }]);

test.each([
  ['a field that the schema lacks', 'query a { entry(id: 1) { id owner } }'],
  ['an argument that the schema lacks', 'query a($x: Int) { entry(offset: $x) { id } }'],
  ['a variable that does not fit', 'query a($x: String) { entry(id: $x) { id } }'],
  [
    'a fragment that nothing makes use of',
    'query a { entry(id: 1) { id } } fragment E on Entry { id }',
  ],
])('a route whose document has %s stops the start', (_what, document) => {
  expect(withDocument(document)).toThrow("A REST route's document is not valid for the schema");
});

test.each([
  ['without a name', '{ entry(id: 1) { id } }'],
  [
    'behind a field that may find nothing without an error',
    'query two { entry(id: 1) { id } more: entry(id: 2) { id } }',
  ],
])('a route whose operation is %s stops the start', (_what, document) => {
  expect(withDocument(document)).toThrow(
    "A REST route's document must be one named operation that selects one field",
  );
});

test('a route may need what other fields find, but not what they do', () => {
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
  expect(() => start(`mutation two { ${add} more: ${add} }`)).toThrow(
    "A REST route's document must be one named operation that selects one field",
  );
});

test('variables come from the path, the query or the body, each read by its type', () => {
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

test('a representation has ids as integers, and texts that look like ids as they are', () => {
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
  'Rex',
  '',
  '"',
  String.raw`\"`,
  '\n\u0000\u001f\u007f\u2028',
  'é€',
  '\ud800',
  '😀',
  'long '.repeat(100),
  `${'long '.repeat(100)}"`,
  null,
])('a text is written as JSON.stringify writes it: %j', (title) => {
  const [, create] = library().routes;
  const entry = { id: '1', title, genre: 'poem', pages: 7, authors: [null] };
  expect(create?.operation.represent(entry).body).toBe(
    JSON.stringify(entry).replace('"id":"1"', '"id":1'),
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

test('a field that is selected twice is written once, with all that is selected of it', () => {
  const document = 'query a { entry(id: 1) { title authors { id } title authors { name } } }';
  const [route] = withDocument(document)().routes;
  const entry = { title: 'A', authors: [{ id: '1', name: 'B' }] };
  expect(route?.operation.represent(entry).body).toBe(
    '{"title":"A","authors":[{"id":1,"name":"B"}]}',
  );
});

test('a field that a directive leaves out is left out', () => {
  const document =
    'query a($is: Boolean = false) { entry(id: 1) { id @include(if: $is) title pages } }';
  const [route] = withDocument(document)().routes;
  expect(route?.operation.represent({ title: 'A', pages: 7 }).body).toBe('{"title":"A","pages":7}');
  expect(route?.operation.represent({ id: '1', title: 'A' }).body).toBe('{"id":1,"title":"A"}');
});

test('equal representations have equal entity tags', () => {
  const [, create] = library().routes;
  const tag = (title: string) => create?.operation.represent({ title }).etag();
  expect(tag('A')).toBe(tag('A'));
  expect(tag('A')).not.toBe(tag('B'));
});
