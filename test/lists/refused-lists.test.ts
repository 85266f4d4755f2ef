import { expect, test } from 'vitest';
import { expectBoundedLists } from '@store-gateway/resource';
import { text } from '@store-gateway/graphql';
import { models } from '../../packages/data/test/generated/batched-models.ts';
import { missingIndexes } from '../../packages/resource/src/bounded-lists.ts';
import { libraryBuilder, type LibraryBuilder } from '../support/library.ts';

/** What the start says of a store with such a list of books. */
function refusalOf(
  build: (builder: LibraryBuilder, Book: ReturnType<typeof bookOf>) => void,
): string {
  const builder = libraryBuilder();
  try {
    build(builder, bookOf(builder));
    builder.queryType({});
    expectBoundedLists(builder.toSchema({ sortSchema: false }), models);
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

test('an order that an index has, forwards or backwards, is not refused', () => {
  expect(refusalOf((builder, Book) => builder.listField(Book, { orderBy: ['title'], find }))).toBe(
    'nothing',
  );
  expect(refusalOf((builder, Book) => builder.listField(Book, { orderBy: ['-title'], find }))).toBe(
    'nothing',
  );
  expect(
    refusalOf((builder, Book) =>
      builder.listField(Book, { orderBy: [['title', 'authorId']], find }),
    ),
  ).toBe('nothing');
});

test('an order that no index has is refused with the indexes to add, one for each combination of filters', () => {
  const refusal = refusalOf((builder, Book) =>
    builder.listField(Book, {
      filters: (t) => ({ authorId: t.intList({ maxItems: 5 }) }),
      orderBy: ['title', ['-authorId', '-title'], ['title', '-authorId']],
      find,
    }),
  );
  expect(refusal).toBe(
    'Query.books would read more rows than it returns: add @@index([authorId, title, id]) and @@index([title(sort: Desc), authorId, id]) and @@index([authorId, title, id(sort: Desc)]) to the model Book',
  );
});

test('a rule of visible rows by the id is not refused: the primary key finds them', () => {
  const refusal = refusalOf((builder) => {
    const Shelf = builder.prismaObject('Shelf', {
      resource: { plural: 'shelves' },
      visible: { columns: ['id'], where: () => ({ id: '00000000-0000-4000-8000-000000000001' }) },
      fields: (t) => ({ id: t.exposeID('id') }),
    });
    builder.listField(Shelf, { find });
  });
  expect(refusal).toBe('nothing');
});

test('so is that of a relation, behind its foreign key', () => {
  const refusal = refusalOf((builder, Book) => {
    const books = builder.listField(Book, { orderBy: ['title'], find });
    builder.prismaObject('Author', {
      fields: (t) => ({ books: t.relation('books', { args: books.args, query: books.query }) }),
    });
  });
  expect(refusal).toBe(
    'Author.books would read more rows than it returns: add @@index([authorId, title, id]) to the model Book',
  );
});

test('all that is to be added is told at once, and nothing twice', () => {
  const refusal = refusalOf((builder, Book) => {
    const books = builder.listField(Book, {
      filters: (t) => ({ authorId: t.intList({ maxItems: 5 }) }),
      orderBy: ['-title'],
      find,
    });
    builder.connectionField(books);
    builder.prismaObject('Author', {
      fields: (t) => ({ books: t.relation('books') }),
    });
  });
  expect(refusal).toBe(
    "Author.books lists all rows of a relation: limit it like a list of Book, as in t.relation('books', { args: list.args, query: list.query }); Query.books would read more rows than it returns: add @@index([authorId, title, id]) to the model Book",
  );
});

test('a relation without the argument for an order needs no index for it', () => {
  const refusal = refusalOf((builder, Book) => {
    const { args, query } = builder.listField(Book, { orderBy: ['title'], find });
    builder.prismaObject('Author', {
      fields: (t) => ({
        books: t.relation('books', { args: { limit: args.limit, after: args.after }, query }),
      }),
    });
  });
  expect(refusal).toBe('nothing');
});

test('a search needs an index of trigrams', () => {
  expect(refusalOf((builder, Book) => builder.listField(Book, { search: ['title'], find }))).toBe(
    'Query.books would read more rows than it returns: add @@index([title(ops: raw("gin_trgm_ops"))], type: Gin) to the model Book',
  );
});

test('a set of any number of values is refused', () => {
  const refusal = refusalOf((builder, Book) =>
    builder.listField(Book, {
      filters: (t) => ({ title: t.stringList({ rule: text(1, 9) }) }),
      find,
    }),
  );
  expect(refusal).toBe(
    'Query.books would read more rows than it returns: set maxItems on title, so that at most 1000 combinations are possible',
  );
});

test.each<[string, Parameters<typeof refusalOf>[0]]>([
  [
    "Book can't be restricted by title, because no order begins with it: add it to orderBy",
    (builder, Book) => builder.listField(Book, { prefixes: ['title'], find }),
  ],
  [
    "Book can't be restricted by both a range and a prefix of title: remove one",
    (builder, Book) =>
      builder.listField(Book, { orderBy: ['title'], ranges: ['title'], prefixes: ['title'], find }),
  ],
  [
    "authorId can't be restricted by a prefix, because it isn't text",
    (builder, Book) =>
      builder.listField(Book, { orderBy: ['authorId'], prefixes: ['authorId'], find }),
  ],
])('%s', (refusal, build) => {
  expect(refusalOf(build)).toBe(refusal);
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

test('indexes whose names would be cut off to the same one are added by names of their own', () => {
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
