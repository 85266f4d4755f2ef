import SchemaBuilder from '@pothos/core';
import PrismaPlugin, { type PothosPrismaDatamodel } from '@pothos/plugin-prisma';
import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { int64, scopedMembersOf, text } from '@store-gateway/graphql';
import type { Scopes } from '@store-gateway/ops/errors';
import { libraryBuilder, type LibraryBuilder } from '../../../test/support/library.ts';
import { RESOURCES } from '../src/resource-plugin.ts';
import { field } from './datamodel-field.ts';
import type { Model } from './shop.ts';

interface Member extends Model {
  Shape: { readonly id: bigint; readonly email: string };
  Include: { owner?: boolean };
  RelationName: 'owner';
  Relations: { owner: { Shape: Member['Shape']; Name: 'Member'; Nullable: false } };
}

const datamodel: PothosPrismaDatamodel['datamodel'] = {
  models: {
    Member: {
      fields: [
        { ...field, type: 'BigInt', name: 'id', isUnique: true, isId: true },
        { ...field, type: 'String', name: 'email' },
        { ...field, type: 'BigInt', name: 'ownerId' },
        {
          ...field,
          type: 'Member',
          kind: 'object',
          name: 'owner',
          relationName: 'owners',
          relationFromFields: ['ownerId'],
        },
      ],
      primaryKey: null,
      uniqueIndexes: [],
    },
  },
};

/** The builder of a schema of members, each of whom has an owner. */
function membersBuilder(access: { readonly scopesOf: () => Scopes } | undefined) {
  return new SchemaBuilder<{
    PrismaTypes: { Member: Member & { Name: 'Member' } };
    Scalars: { ID: { Input: string; Output: string | bigint } };
    DefaultFieldNullability: false;
  }>({
    plugins: [PrismaPlugin, RESOURCES],
    defaultFieldNullability: false,
    prisma: { client: { $connect: () => Promise.resolve() }, dmmf: { datamodel } },
    ...(access && { access }),
  });
}

type MembersBuilder = ReturnType<typeof membersBuilder>;

/** A schema with what is declared. */
function membersSchema(declare: (builder: MembersBuilder) => void) {
  const builder = membersBuilder({ scopesOf: () => 'all' });
  declare(builder);
  builder.queryType({ fields: (t) => ({ here: t.boolean({ resolve: () => true }) }) });
  return builder.toSchema({ sortSchema: false });
}

const scopes = ['personal'];

test.each<[reason: string, declare: (builder: MembersBuilder) => void]>([
  [
    'Card needs the scope personal, which Thing would bypass: declare it there, too',
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
    'Card needs the scope personal, which Any would bypass: declare it there, too',
    (builder) => {
      const Card = builder.objectRef<object>('Card').implement({
        scopes,
        fields: (t) => ({ text: t.string({ resolve: () => '' }) }),
      });
      builder.unionType('Any', { types: [Card], resolveType: () => Card });
    },
  ],
  [
    'Query.find(by:) is required and needs the scope personal: declare it on the whole field, or make the input optional',
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
    'New.email is required and needs the scope personal: declare it on the whole field, or make the input optional',
    (builder) => {
      builder.inputType('New', {
        fields: (t) => ({ email: t.string({ required: true, rule: text(1, 9), scopes }) }),
      });
    },
  ],
  [
    "Query.find(by:) can't have the default email, which needs a scope",
    (builder) => {
      const By = builder.inputType('By', {
        fields: (t) => ({ email: t.string({ rule: text(1, 9), scopes }) }),
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
    'members lists rows whose ids need the scope personal, and its cursors would reveal them: declare the scope on the type Member',
    (builder) => {
      const Member = builder.prismaObject('Member', {
        resource: { plural: 'members' },
        fields: (t) => ({ id: t.exposeID('id', { scopes }) }),
      });
      builder.listField(Member, { find: () => Promise.resolve([]) });
    },
  ],
])('the start is refused: %s', (reason, declare) => {
  expect(() => membersSchema(declare)).toThrow(reason);
});

test('a builder without the option access cannot declare scopes', () => {
  const builder = membersBuilder(undefined);
  builder.queryType({ fields: (t) => ({ here: t.boolean({ scopes, resolve: () => true }) }) });
  expect(() => builder.toSchema()).toThrow(
    'Query.here needs a scope: give the builder the option access.scopesOf',
  );
});

/** The scopes that each member of a schema needs. */
function needsOf(declare: (builder: MembersBuilder) => void): Record<string, readonly string[]> {
  return Object.fromEntries(
    scopedMembersOf(membersSchema(declare)).map(({ coordinate, member }) => [
      coordinate,
      member.extensions.scopes ?? [],
    ]),
  );
}

/** The scopes of a filter by a column that several fields expose. */
const filterOf = (...fieldScopes: readonly (readonly string[])[]) =>
  needsOf((builder) => {
    const Member = builder.prismaObject('Member', {
      resource: { plural: 'members' },
      fields: (t) =>
        Object.fromEntries(
          fieldScopes.map((each, index) => [
            `email${index}`,
            t.exposeString('email', { scopes: each }),
          ]),
        ),
    });
    builder.listField(Member, {
      filters: (t) => ({ email: t.string({ rule: text(1, 9) }) }),
      find: () => Promise.resolve([]),
    });
  })['Query.members(email:)'];

test('a filter by a column needs the fewest scopes with which a field exposes the column', () => {
  expect(filterOf(['a'])).toEqual(['a']);
  expect(filterOf(['a', 'b'], ['c'])).toEqual(['c']);
  expect(filterOf(['a'], [])).toBeUndefined();
});

test('a filter by a foreign key needs the scopes of the relation', () => {
  const needs = needsOf((builder) => {
    const Member = builder.prismaObject('Member', {
      resource: { plural: 'members' },
      fields: (t) => ({ id: t.exposeID('id'), owner: t.relation('owner', { scopes }) }),
    });
    builder.listField(Member, {
      filters: (t) => ({ ownerId: t.id({ rule: int64 }) }),
      find: () => Promise.resolve([]),
    });
  });
  expect(needs).toEqual({ 'Member.owner': scopes, 'Query.members(ownerId:)': scopes });
});

test('a filter by a column needs the scopes of a field that is computed from it', () => {
  const needs = needsOf((builder) => {
    const Member = builder.prismaObject('Member', {
      resource: { plural: 'members' },
      fields: (t) => ({
        domain: t.string({ select: { email: true }, scopes, resolve: () => '' }),
      }),
    });
    builder.listField(Member, {
      filters: (t) => ({ email: t.string({ rule: text(1, 9) }) }),
      find: () => Promise.resolve([]),
    });
  });
  expect(needs).toEqual({ 'Member.domain': scopes, 'Query.members(email:)': scopes });
});

test('the scopes of an interface apply to the types that implement it', () => {
  const needs = needsOf((builder) => {
    const Thing = builder.interfaceRef<object>('Thing').implement({
      fields: (t) => ({
        text: t.string({
          scopes,
          args: { by: t.arg.id({ rule: int64, scopes: ['other'] }) },
          resolve: () => '',
        }),
      }),
    });
    builder.objectRef<object>('Card').implement({
      interfaces: [Thing],
      fields: (t) => ({
        text: t.string({ args: { by: t.arg.id({ rule: int64 }) }, resolve: () => '' }),
      }),
    });
  });
  expect(needs).toMatchObject({ 'Card.text': scopes, 'Card.text(by:)': ['other'] });
});

/** Members whose addresses have their scopes from an interface, and a list with a filter by address. */
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

test('an argument of an interface needs its scopes in the types that implement it', () => {
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
