import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { int64, scopedMembersOf, text } from '@store-gateway/graphql';
import { libraryBuilder, type LibraryBuilder } from '../../../test/support/library.ts';

const scopes = ['personal'];
const rule = text(1, 9);

/** A schema whose types may have scopes, and whose rows can be changed. */
function schemaWith(declare: (builder: LibraryBuilder) => unknown) {
  const builder = libraryBuilder();
  Object.assign(builder.options, { access: { scopesOf: () => 'all' } });
  Object.assign(builder.options.resources ?? {}, {
    asRead: () => ({}),
    versionKey: () => 'secret',
  });
  builder.queryType({ fields: (t) => ({ here: t.boolean({ resolve: () => true }) }) });
  declare(builder);
  return builder.toSchema({ sortSchema: false });
}

/** The scopes that each member of a schema needs. */
function needsOf(declare: (builder: LibraryBuilder) => unknown) {
  return Object.fromEntries(
    scopedMembersOf(schemaWith(declare)).map(({ coordinate, member }) => [
      coordinate,
      member.extensions.scopes ?? [],
    ]),
  );
}

const find = () => Promise.resolve([]);

test.each<[reason: string, declare: (builder: LibraryBuilder) => void]>([
  [
    'Card needs the scope personal, which a field of type Thing would bypass: declare the scope on Thing, too',
    (builder) => {
      const Thing = builder.interfaceRef<object>('Thing').implement({});
      builder.objectRef<object>('Card').implement({
        scopes,
        interfaces: [Thing],
        fields: (t) => ({ text: t.string({ resolve: () => '' }) }),
      });
    },
  ],
  [
    'Card needs the scope personal, which a field of type Any would bypass: declare the scope on Any, too',
    (builder) => {
      const Card = builder.objectRef<object>('Card').implement({
        scopes,
        fields: (t) => ({ text: t.string({ resolve: () => '' }) }),
      });
      builder.unionType('Any', { types: [Card], resolveType: () => Card });
    },
  ],
  [
    'Query.find(by:) is required and needs the scope personal: declare the scope on the whole field, or make the input optional',
    (builder) => {
      builder.queryField('find', (t) =>
        t.int({
          args: { by: t.arg.id({ required: true, rule: int64, scopes }) },
          resolve: () => 1,
        }),
      );
    },
  ],
  [
    "Query.find(by:) needs the scope personal and therefore can't have a default",
    (builder) => {
      builder.queryField('find', (t) =>
        t.int({
          args: { by: t.arg.id({ defaultValue: '1', rule: int64, scopes }) },
          resolve: () => 1,
        }),
      );
    },
  ],
  [
    'New.email is required and needs the scope personal: declare the scope on the whole field, or make the input optional',
    (builder) => {
      builder.inputType('New', {
        fields: (t) => ({ email: t.string({ required: true, rule, scopes }) }),
      });
    },
  ],
  [
    "the default of Query.find(by:) can't set email, which needs a scope",
    (builder) => {
      const By = builder.inputType('By', {
        fields: (t) => ({ email: t.string({ rule, scopes }) }),
      });
      builder.queryField('find', (t) =>
        t.int({
          args: { by: t.arg({ type: By, defaultValue: { email: 'a' } }) },
          resolve: () => 1,
        }),
      );
    },
  ],
  [
    'books lists rows whose ids need the scope personal, and its cursors would reveal the ids: declare the scope on the type Book',
    (builder) => {
      const Book = builder.prismaObject('Book', {
        resource: { plural: 'books' },
        fields: (t) => ({ id: t.exposeID('id', { scopes }) }),
      });
      builder.listField(Book, { find });
    },
  ],
  [
    'Query.books(title:) is required and needs the scope personal',
    (builder) => {
      const Book = builder.prismaObject('Book', {
        resource: { plural: 'books' },
        fields: (t) => ({ title: t.exposeString('title', { scopes }) }),
      });
      builder.listField(Book, {
        filters: (t) => ({ title: t.string({ required: true, rule }) }),
        find,
      });
    },
  ],
])('a schema with invalid scopes cannot be built: %s', (reason, declare) => {
  expect(() => schemaWith(declare)).toThrow(reason);
});

test('a builder without the option access cannot declare scopes', () => {
  const builder = libraryBuilder();
  builder.queryType({ fields: (t) => ({ here: t.boolean({ scopes, resolve: () => true }) }) });
  expect(() => builder.toSchema()).toThrow(
    "Query.here needs a scope: set the builder's option access.scopesOf",
  );
});

/** Declares books with one title field for each of these lists of scopes. */
const titledBooks =
  (...each: readonly (readonly string[])[]) =>
  (builder: LibraryBuilder) =>
    builder.prismaObject('Book', {
      resource: { plural: 'books' },
      fields: (t) =>
        Object.fromEntries(
          each.map((needed, index) => [
            `title${index}`,
            t.exposeString('title', { scopes: needed }),
          ]),
        ),
    });

test.each([
  {
    of: 'the scopes of the field that exposes it',
    books: titledBooks(['a']),
    needs: { title: ['a'] },
  },
  {
    of: 'the scopes of the field with the fewest scopes',
    books: titledBooks(['a', 'b'], ['c']),
    needs: { title: ['c'] },
  },
  {
    of: 'no scopes if a field exposes it without scopes',
    books: titledBooks(['a'], []),
    needs: {},
  },
  {
    of: 'the scopes of a field that is computed from it',
    books: (builder: LibraryBuilder) =>
      builder.prismaObject('Book', {
        resource: { plural: 'books' },
        fields: (t) => ({
          initial: t.string({ select: { title: true }, scopes, resolve: () => '' }),
        }),
      }),
    needs: { title: scopes },
  },
  {
    of: 'the scopes of the relation if it is a foreign key',
    books: (builder: LibraryBuilder) => {
      builder.prismaObject('Author', { fields: (t) => ({ id: t.exposeID('id') }) });
      return builder.prismaObject('Book', {
        resource: { plural: 'books' },
        fields: (t) => ({ author: t.relation('author', { scopes }) }),
      });
    },
    needs: { authorId: scopes },
  },
])('a filter by a column needs $of', ({ books, needs }) => {
  const all = needsOf((builder) =>
    builder.listField(books(builder), {
      filters: (t) => ({ title: t.string({ rule }), authorId: t.id({ rule: int64 }) }),
      find,
    }),
  );
  const ofFilters = Object.entries(all).filter(([coordinate]) => coordinate.startsWith('Query'));
  expect(Object.fromEntries(ofFilters)).toEqual(
    Object.fromEntries(
      Object.entries(needs).map(([name, needed]) => [`Query.books(${name}:)`, needed]),
    ),
  );
});

/** Declares books whose title and its argument inherit their scopes from an interface, and a list with a title filter. */
function declareTitled(builder: LibraryBuilder): void {
  const Titled = builder.interfaceRef<{ title: string }>('Titled').implement({
    fields: (t) => ({
      title: t.string({
        scopes,
        args: { by: t.arg.id({ rule: int64, scopes: ['other'] }) },
        resolve: () => '',
      }),
    }),
  });
  const Book = builder.prismaObject('Book', {
    resource: { plural: 'books' },
    interfaces: [Titled],
    fields: (t) => ({
      title: t.exposeString('title', {
        description: 'On the cover.',
        stability: 'beta',
        args: { by: t.arg.id({ rule: int64 }) },
      }),
    }),
  });
  builder.listField(Book, { filters: (t) => ({ title: t.string({ rule }) }), find });
}

test('the scopes of an interface apply to the types that implement it, and to filters', () => {
  expect(needsOf(declareTitled)).toEqual({
    'Titled.title': scopes,
    'Titled.title(by:)': ['other'],
    'Book.title': scopes,
    'Book.title(by:)': ['other'],
    'Query.books(title:)': scopes,
  });
});

test('a description ends with the stability and then the derived scopes', () => {
  const schema = schemaWith(declareTitled);
  const type = schema.getType('Book');
  const { title } = isObjectType(type) ? type.getFields() : {};
  expect(title?.description).toBe('On the cover.\n\nStability: beta.\n\nNeeds the scope personal.');
  const list = schema.getQueryType()?.getFields()['books'];
  const filter = list?.args.find(({ name }) => name === 'title');
  expect(filter?.description).toBe('Needs the scope personal.');
});

const ofEach = (...coordinates: readonly string[]) =>
  Object.fromEntries(coordinates.map((coordinate) => [coordinate, scopes]));

test('the version of a row and the mutations that change it need the scopes of its columns', () => {
  const needs = needsOf((builder) => {
    const Author = builder.prismaObject('Author', {
      resource: { plural: 'authors' },
      fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name', { scopes }) }),
    });
    builder.mutationType({});
    for (const replaces of [false, true]) {
      builder.updateField(Author, {
        replaces,
        input: (t) => ({ name: t.string({ required: replaces, rule }) }),
        find: (query, { database }) => database.author.findUnique(query),
        update: (query, { database }) => database.author.update(query),
      });
    }
  });
  expect(needs).toEqual(
    ofEach(
      'Author.name',
      'Author.version',
      'Mutation.replaceAuthor',
      'Mutation.replaceAuthor(expected:)',
      'Mutation.updateAuthor(expected:)',
      'UpdateAuthorInput.name',
    ),
  );
});

test('an argument of an interface field needs the same scopes in the types that implement the interface', () => {
  const needs = needsOf((builder) => {
    const Book = titledBooks(scopes)(builder);
    const { args, query } = builder.listField(Book, {
      filters: (t) => ({ title: t.string({ rule }) }),
      find,
    });
    const Shelf = builder.interfaceRef<object>('Shelf').implement({
      fields: (t) => ({ books: t.field({ type: [Book], args, resolve: () => [] }) }),
    });
    builder.prismaObject('Author', {
      interfaces: [Shelf],
      fields: (t) => ({ books: t.relation('books', { args, query }) }),
    });
  });
  expect(needs).toEqual(
    ofEach('Author.books(title:)', 'Book.title0', 'Query.books(title:)', 'Shelf.books(title:)'),
  );
});

test('a range argument needs the scopes of all columns that order the list', () => {
  const needs = needsOf((builder) => {
    const Loan = builder.prismaObject('Loan', {
      resource: { plural: 'loans' },
      fields: (t) => ({ title: t.exposeString('title', { scopes }) }),
    });
    builder.listField(Loan, { orderBy: [['-due', 'title']], ranges: ['due'], find });
  });
  expect(needs).toMatchObject(ofEach('Query.loans(dueFrom:)', 'Query.loans(dueBefore:)'));
});
