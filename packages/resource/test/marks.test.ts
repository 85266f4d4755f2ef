import { expect, test } from 'vitest';
import { isObjectType } from 'graphql';
import { scopedMembersOf, text } from '@store-gateway/graphql';
import { libraryBuilder, type LibraryBuilder } from '../../../test/support/library.ts';
import { membersSchema, type MembersBuilder } from './members.ts';

const scopes = ['personal'];

/** Members with what an interface declares of their addresses, and a list that can be filtered by these. */
function declareMembers(builder: MembersBuilder, required: boolean): void {
  const Addressed = builder.interfaceRef<{ email: string }>('Addressed').implement({
    fields: (t) => ({ email: t.exposeString('email', { scopes }) }),
  });
  const Member = builder.prismaObject('Member', {
    resource: { plural: 'members' },
    interfaces: [Addressed],
    fields: (t) => ({
      id: t.exposeID('id'),
      email: t.exposeString('email', { description: 'For letters.', stability: 'beta' }),
    }),
  });
  builder.listField(Member, {
    filters: (t) => ({ email: t.string({ required, rule: text(1, 9) }) }),
    find: () => Promise.resolve([]),
  });
}

test('a filter needs the scopes that an interface declares for its column', () => {
  const schema = membersSchema((builder) => {
    declareMembers(builder, false);
  });
  expect(scopedMembersOf(schema).map(({ coordinate }) => coordinate)).toEqual([
    'Addressed.email',
    'Member.email',
    'Query.members(email:)',
  ]);
});

test('a description ends with stability and derived scopes, in this order', () => {
  const schema = membersSchema((builder) => {
    declareMembers(builder, false);
  });
  const type = schema.getType('Member');
  const { email } = isObjectType(type) ? type.getFields() : {};
  expect(email?.description).toBe('For letters.\n\nStability: beta.\n\nNeeds the scope personal.');
  const list = schema.getQueryType()?.getFields()['members'];
  const filter = list?.args.find(({ name }) => name === 'email');
  expect(filter?.description).toBe('Needs the scope personal.');
});

test('a required filter whose scopes are derived is refused at the start', () => {
  expect(() =>
    membersSchema((builder) => {
      declareMembers(builder, true);
    }),
  ).toThrow('Query.members(email:) is required and needs the scope personal');
});

/** A builder whose types may have scopes, and rows that can be changed. */
function scopedLibrary(): LibraryBuilder {
  const builder = libraryBuilder();
  Object.assign(builder.options, { access: { scopesOf: () => 'all' } });
  Object.assign(builder.options.resources ?? {}, {
    asRead: () => ({}),
    versionKey: () => 'secret',
  });
  builder.queryType({ fields: (t) => ({ none: t.boolean({ resolve: () => true }) }) });
  return builder;
}

function scopedIn(builder: LibraryBuilder): string[] {
  return scopedMembersOf(builder.toSchema()).map(({ coordinate }) => coordinate);
}

test('versions and changes of rows need the scopes of their columns', () => {
  const builder = scopedLibrary();
  const Author = builder.prismaObject('Author', {
    resource: { plural: 'authors' },
    fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name', { scopes }) }),
  });
  builder.mutationType({});
  for (const replaces of [false, true]) {
    builder.updateField(Author, {
      replaces,
      input: (t) => ({ name: t.string({ required: replaces, rule: text(1, 255) }) }),
      find: (query, { database }) => database.author.findUnique(query),
      update: (query, { database }) => database.author.update(query),
    });
  }
  expect(scopedIn(builder)).toEqual([
    'Author.name',
    'Author.version',
    'Mutation.replaceAuthor',
    'Mutation.replaceAuthor(expected:)',
    'Mutation.updateAuthor(expected:)',
    'UpdateAuthorInput.name',
  ]);
});

test('an argument of an interface needs the scopes that it has in a type behind it', () => {
  const builder = scopedLibrary();
  const Book = builder.prismaObject('Book', {
    resource: { plural: 'books' },
    fields: (t) => ({ id: t.exposeID('id'), title: t.exposeString('title', { scopes }) }),
  });
  const { args, query } = builder.listField(Book, {
    filters: (t) => ({ title: t.string({ rule: text(1, 20) }) }),
    find: () => Promise.resolve([]),
  });
  const Shelf = builder.interfaceRef<object>('Shelf').implement({
    fields: (t) => ({ books: t.field({ type: [Book], args, resolve: () => [] }) }),
  });
  builder.prismaObject('Author', {
    interfaces: [Shelf],
    fields: (t) => ({ books: t.relation('books', { args, query }) }),
  });
  expect(scopedIn(builder)).toEqual([
    'Author.books(title:)',
    'Book.title',
    'Query.books(title:)',
    'Shelf.books(title:)',
  ]);
});
