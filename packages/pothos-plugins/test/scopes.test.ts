import SchemaBuilder from '@pothos/core';
import PrismaPlugin, { type PothosPrismaDatamodel } from '@pothos/plugin-prisma';
import { expect, test } from 'vitest';
import { int64, text } from '../src/input-rules.ts';
import { RESOURCES } from '../src/resource-plugin.ts';
import { expectKnownScopes, scopedMembersOf } from '../src/schema-scopes.ts';
import type { Scopes } from '../src/scopes.ts';
import { field } from './datamodel-field.ts';

interface Model {
  Select: object;
  OrderBy: object;
  WhereUnique: object;
  Where: object;
  Create: object;
  Update: object;
  ListRelations: never;
  Shape: { readonly id: bigint; readonly email: string };
  Include: { owner?: boolean };
  RelationName: 'owner';
  Relations: { owner: { Shape: Model['Shape']; Name: 'Member'; Nullable: false } };
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

function createBuilder(access: { readonly scopesOf: () => Scopes } | undefined) {
  return new SchemaBuilder<{
    PrismaTypes: { Member: Model & { Name: 'Member' } };
    Scalars: { ID: { Input: string; Output: string | bigint } };
    DefaultFieldNullability: false;
  }>({
    plugins: [PrismaPlugin, RESOURCES],
    defaultFieldNullability: false,
    prisma: { client: { $connect: () => Promise.resolve() }, dmmf: { datamodel } },
    ...(access && { access }),
    // Not used here, but asked for.
    idempotency: { deduplicating: (context) => context },
    violations: { violationOf: () => Promise.resolve(undefined) },
    lifecycle: { now: Date.now },
  });
}

type Builder = ReturnType<typeof createBuilder>;

function build(declare: (builder: Builder) => void) {
  const builder = createBuilder({ scopesOf: () => 'all' });
  declare(builder);
  builder.queryType({ fields: (t) => ({ here: t.boolean({ resolve: () => true }) }) });
  return builder.toSchema({ sortSchema: false });
}

const scopes = ['personal'];

test.each<[reason: string, declare: (builder: Builder) => void]>([
  [
    'Card needs the scope personal, which Thing would go round: declare it there, too',
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
    'Card needs the scope personal, which Any would go round: declare it there, too',
    (builder) => {
      const Card = builder.objectRef<object>('Card').implement({
        scopes,
        fields: (t) => ({ text: t.string({ resolve: () => '' }) }),
      });
      builder.unionType('Any', { types: [Card], resolveType: () => Card });
    },
  ],
  [
    'Query.find(by:) is required and needs the scope personal: declare it for the whole field, or make the input optional',
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
    "Query.find(by:) needs the scope personal, so that it can't have a default",
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
    'New.email is required and needs the scope personal: declare it for the whole field, or make the input optional',
    (builder) => {
      builder.inputType('New', {
        fields: (t) => ({ email: t.string({ required: true, rule: text(1, 9), scopes }) }),
      });
    },
  ],
  [
    "Query.find(by:) can't give email by default, which needs a scope",
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
    'members lists rows whose ids need the scope personal, which its cursors would tell: declare it for the type Member',
    (builder) => {
      const Member = builder.prismaObject('Member', {
        resource: { plural: 'members' },
        fields: (t) => ({ id: t.exposeID('id', { scopes }) }),
      });
      builder.listField(Member, { find: () => Promise.resolve([]) });
    },
  ],
])('refused at the start: %s', (reason, declare) => {
  expect(() => build(declare)).toThrow(reason);
});

test('a builder without access can’t have scopes, as nobody could be asked for them', () => {
  const builder = createBuilder(undefined);
  builder.queryType({ fields: (t) => ({ here: t.boolean({ scopes, resolve: () => true }) }) });
  expect(() => builder.toSchema()).toThrow(
    'Query.here needs a scope, so that the builder needs the option access.scopesOf',
  );
});

test('a scope that a store doesn’t have is refused, with what needs it', () => {
  const schema = build((builder) => {
    builder.queryField('find', (t) => t.int({ scopes, resolve: () => 1 }));
  });
  expect(() => {
    expectKnownScopes(schema, new Set(['read', 'write']));
  }).toThrow(
    "Query.find needs the scope personal, which the store doesn't have: add it to access.scopes",
  );
  expectKnownScopes(schema, new Set(['read', 'personal']));
});

/** What needs scopes, with which. */
function needsOf(declare: (builder: Builder) => void): Record<string, readonly string[]> {
  return Object.fromEntries(
    scopedMembersOf(build(declare)).map(({ coordinate, member }) => [
      coordinate,
      member.extensions.scopes ?? [],
    ]),
  );
}

test('a filter by a column needs what the field that shows the column for the least needs', () => {
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
  expect(filterOf(['a'])).toEqual(['a']);
  expect(filterOf(['a', 'b'], ['c'])).toEqual(['c']);
  expect(filterOf(['a'], [])).toBeUndefined();
});

test('a filter by a foreign key needs what the relation needs', () => {
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

test('a filter by a column that a field with scopes is made of needs them, too', () => {
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

test('what an interface declares holds for the types behind it', () => {
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
