import {
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLString,
  GraphQLUnionType,
  type GraphQLFieldConfigMap,
} from 'graphql';
import { expect, test } from 'vitest';
import { deprecationsIn, expectOptionalUses } from '../../src/marks/deprecations.ts';
import {
  checkScopes,
  expectKnownScopes,
  expectScopes,
  scopesOfField,
} from '../../src/marks/scopes.ts';
import { Item, old, shopSchema } from './shop.ts';

const scopes = ['stock'];

test('a field needs the scopes of what it returns', () => {
  const field = shopSchema().getQueryType()?.getFields()['painted'];
  const needed = field === undefined ? [] : scopesOfField(field);
  expect(needed).toEqual(scopes);
  expect(() => {
    expectScopes(new Set(['prices']), needed);
  }).toThrow('This request needs the scope stock');
  expectScopes(new Set(scopes), needed);
});

test.each<[reason: string, fields: GraphQLFieldConfigMap<unknown, unknown>]>([
  [
    'Item needs the scope stock, which Any would bypass: declare it there, too',
    { any: { type: new GraphQLUnionType({ name: 'Any', types: [Item] }) } },
  ],
  [
    'Query.find(by:) is required and needs the scope stock: declare it on the whole field, or make the input optional',
    {
      find: {
        type: GraphQLInt,
        args: { by: { type: new GraphQLNonNull(GraphQLString), extensions: { scopes } } },
      },
    },
  ],
  [
    "Query.find(by:) needs the scope stock and therefore can't have a default",
    {
      find: {
        type: GraphQLInt,
        args: { by: { type: GraphQLString, defaultValue: 'a', extensions: { scopes } } },
      },
    },
  ],
])('scopes that something would go round are refused: %s', (reason, fields) => {
  expect(() => {
    checkScopes(shopSchema(fields));
  }).toThrow(reason);
  checkScopes(shopSchema());
});

test('a scope that no caller can have is refused, with what needs it', () => {
  expect(() => {
    expectKnownScopes(shopSchema(), new Set(['prices']));
  }).toThrow("Item needs the scope stock, which the store doesn't define: add it to access.scopes");
  expectKnownScopes(shopSchema(), new Set(scopes));
});

test('each deprecation of a schema is listed', () => {
  expect(deprecationsIn(shopSchema())).toEqual([old]);
});

test('a deprecated type that stays required is refused, with what requires it', () => {
  const By = new GraphQLInputObjectType({
    name: 'By',
    extensions: { deprecation: { ...old, of: 'By' } },
    fields: { name: { type: GraphQLString } },
  });
  const args = { by: { type: new GraphQLNonNull(By) } };
  expect(() => {
    expectOptionalUses(shopSchema({ find: { type: GraphQLInt, args } }));
  }).toThrow("By can't be deprecated while Query.find(by:) requires it");
});
