import { expect, test } from 'vitest';
import { expectBoundedLists } from '@store-gateway/resource';
import { text } from '@store-gateway/graphql';
import { models } from '../../packages/data/test/generated/batched-models.ts';
import { missingIndexes } from '../../packages/resource/src/bounded-lists.ts';
import { libraryBuilder, type LibraryBuilder } from '../support/library.ts';

type Build = (builder: LibraryBuilder, Book: ReturnType<typeof bookOf>) => void;

/** The startup error for a store with such a list of books, or `nothing`. */
function refusalOf(build: Build): string {
  const builder = libraryBuilder();
  build(builder, bookOf(builder));
  builder.queryType({ fields: (t) => ({ always: t.boolean({ resolve: () => true }) }) });
  const schema = builder.toSchema({ sortSchema: false });
  try {
    expectBoundedLists(schema, models);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'nothing';
}

function bookOf(builder: LibraryBuilder) {
  return builder.prismaObject('Book', {
    resource: { plural: 'books' },
    fields: (t) => ({ id: t.exposeID('id'), title: t.exposeString('title') }),
  });
}

const find = () => Promise.resolve([]);
const title = { rule: text(1, 9) };

const listing =
  (options: Omit<Parameters<LibraryBuilder['listField']>[1], 'find'>): Build =>
  (builder, Book) => {
    builder.listField(Book, { ...options, find });
  };

test.each<[what: string, build: Build]>([
  ['an order that an index supports', listing({ orderBy: ['title'] })],
  ['an order that an index supports in reverse', listing({ orderBy: ['-title'] })],
  ['an order by several columns of an index', listing({ orderBy: [['title', 'authorId']] })],
  [
    'a row rule on the id, which the primary key supports',
    (builder) => {
      const Shelf = builder.prismaObject('Shelf', {
        resource: { plural: 'shelves' },
        visible: { columns: ['id'], where: () => ({ id: '00000000-0000-4000-8000-000000000001' }) },
        fields: (t) => ({ id: t.exposeID('id') }),
      });
      builder.listField(Shelf, { find });
    },
  ],
  [
    'a relation without an orderBy argument',
    (builder, Book) => {
      const { args, query } = builder.listField(Book, { orderBy: ['title'], find });
      builder.prismaObject('Author', {
        fields: (t) => ({
          books: t.relation('books', { args: { limit: args.limit, after: args.after }, query }),
        }),
      });
    },
  ],
])('startup accepts %s', (_what, build) => {
  expect(refusalOf(build)).toBe('nothing');
});

const MORE_ROWS = 'would read more rows than it returns: ';
const ALL_ROWS =
  "Author.books lists all rows of a relation: limit it like a list of Book, as in t.relation('books', { args: list.args, query: list.query })";

test.each<[refusal: string, what: string, build: Build]>([
  [
    `Query.books ${MORE_ROWS}add @@index([authorId, title, id]) and @@index([title(sort: Desc), authorId, id]) and @@index([authorId, title, id(sort: Desc)]) to the model Book`,
    'orders that no index supports, naming an index for each combination of filters',
    listing({
      filters: (t) => ({ authorId: t.intList({ maxItems: 5 }) }),
      orderBy: ['title', ['-authorId', '-title'], ['title', '-authorId']],
    }),
  ],
  [
    `Author.books ${MORE_ROWS}add @@index([authorId, title, id]) to the model Book`,
    'an order of a relation, naming an index that begins with its foreign key',
    (builder, Book) => {
      const books = builder.listField(Book, { orderBy: ['title'], find });
      builder.prismaObject('Author', {
        fields: (t) => ({ books: t.relation('books', { args: books.args, query: books.query }) }),
      });
    },
  ],
  [
    `${ALL_ROWS}; Query.books ${MORE_ROWS}add @@index([authorId, title, id]) to the model Book`,
    'several lists at once, naming each list once',
    (builder, Book) => {
      const books = builder.listField(Book, {
        filters: (t) => ({ authorId: t.intList({ maxItems: 5 }) }),
        orderBy: ['-title'],
        find,
      });
      builder.connectionField(books);
      builder.prismaObject('Author', { fields: (t) => ({ books: t.relation('books') }) });
    },
  ],
  [
    `Query.books ${MORE_ROWS}add @@index([title(ops: raw("gin_trgm_ops"))], type: Gin) to the model Book`,
    'a search without a trigram index',
    listing({ search: ['title'] }),
  ],
  [
    `Query.books ${MORE_ROWS}set maxItems on title, so that at most 1000 combinations are possible`,
    'a filter with any number of values',
    listing({ filters: (t) => ({ title: t.stringList(title) }) }),
  ],
  [
    `Query.books ${MORE_ROWS}add @@index([authorId, editorId, id]) to the model Book`,
    'filters that no index covers',
    listing({
      filters: (t) => ({
        title: t.string(title),
        authorId: t.int({ required: true }),
        editorId: t.int(),
      }),
    }),
  ],
  [
    `Query.booksConnection ${MORE_ROWS}add @@index([editorId, id]) and @@index([editorId, authorId, id]) to the model Book`,
    'filters of a connection that no index covers',
    (builder, Book) => {
      const list = builder.listField(Book, { find });
      const filters = builder.args((t) => ({ editorId: t.int(), authorId: t.int() }));
      builder.connectionField({ ...list, filters, args: { ...list.args, ...filters } });
    },
  ],
  [
    `Author.edited ${MORE_ROWS}add @@index([editorId, id]) and @@index([editorId, title, id]) to the model Book`,
    'filters of a relation that no index covers',
    (builder, Book) => {
      const { args, query } = builder.listField(Book, {
        filters: (t) => ({ title: t.string(title) }),
        find,
      });
      builder.prismaObject('Author', {
        fields: (t) => ({ edited: t.relation('edited', { args, query }) }),
      });
    },
  ],
  [
    'Author.count counts all rows of a relation, which may read a whole table: store the count in a column',
    'a count of a relation',
    (builder) => {
      builder.prismaObject('Author', { fields: (t) => ({ count: t.relationCount('books') }) });
    },
  ],
  [
    ALL_ROWS,
    'a relation in a different order',
    (builder) => {
      builder.prismaObject('Author', {
        fields: (t) => ({
          books: t.relation('books', { query: { orderBy: { title: 'asc' }, take: 3 } }),
        }),
      });
    },
  ],
  [
    ALL_ROWS,
    'a relation whose query function takes no arguments',
    (builder) => {
      builder.prismaObject('Author', {
        fields: (t) => ({ books: t.relation('books', { query: () => ({ take: 3 }) }) }),
      });
    },
  ],
])('%s: startup rejects %s', (refusal, _what, build) => {
  expect(refusalOf(build)).toBe(refusal);
});

test.each<[string, Build]>([
  [
    "Book can't be filtered by title, because no order begins with it: add it to orderBy",
    listing({ prefixes: ['title'] }),
  ],
  [
    "Book can't be filtered by both a range and a prefix of title: remove one",
    listing({ orderBy: ['title'], ranges: ['title'], prefixes: ['title'] }),
  ],
  [
    "authorId can't be filtered by prefix, because it isn't a text column",
    listing({ orderBy: ['authorId'], prefixes: ['authorId'] }),
  ],
])('%s', (refusal, build) => {
  expect(() => refusalOf(build)).toThrow(refusal);
});

test('an index serves lists ordered by id if the id follows the filtered columns, whatever their direction', () => {
  const fields = [
    { field: 'status', order: 'desc' },
    { field: 'id', order: 'asc' },
    { field: 'name', order: 'asc' },
  ] as const;
  const model = { name: 'Pet', id: 'id', columns: [], indexes: [{ fields }], relations: [] };
  const missing = missingIndexes(model, { always: ['status'], optional: ['name'] }, []);
  expect(missing).toEqual(['@@index([status, name, id])']);
});

test('suggested indexes get distinct names if truncation would make their names equal', () => {
  const model = {
    name: 'M'.repeat(60),
    id: 'id',
    columns: [],
    indexes: [],
    relations: [],
  };
  const missing = missingIndexes(model, { always: [], optional: ['first', 'second'] }, []);
  const names = missing.map((index) => /map: "(\w{1,63})"/.exec(index)?.[1]);
  expect(missing).toHaveLength(3);
  expect(new Set(names).size).toBe(3);
  expect(names).not.toContain(undefined);
});
