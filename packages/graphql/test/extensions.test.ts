import {
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
} from 'graphql';
import { expect, test } from 'vitest';
import { deprecationsIn, named } from '../src/marks/deprecations.ts';
import {
  argumentFaults,
  inputFaults,
  inputsByVariable,
  text,
} from '../src/extensions/input-faults.ts';
import { expectKnownScopes, expectScopes, scopesOfField } from '../src/marks/scopes.ts';
import { violationError } from '../src/extensions/violation-error.ts';

const old = named(
  { since: '2026-11-21', removal: '2027-06-01', replacement: { inWords: 'colors' } },
  'Paint.color',
);

const Paint = new GraphQLInputObjectType({
  name: 'Paint',
  fields: {
    colors: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))),
      extensions: { rule: text(1, 9) },
    },
    color: { type: GraphQLString, extensions: { rule: text(1, 9), deprecation: old } },
  },
});

const Item = new GraphQLObjectType({
  name: 'Item',
  extensions: { scopes: ['stock'] },
  fields: { width: { type: GraphQLInt } },
});

/** A schema that is built only with graphql-js. */
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      painted: {
        type: Item,
        args: {
          paints: { type: new GraphQLList(Paint), extensions: { maxItems: 3 } },
        },
      },
    },
  }),
});

const query = schema.getQueryType();
const field = query?.getFields()['painted'];
const paints = field?.args[0];
if (query == null || field === undefined || paints === undefined) {
  throw new Error('the schema has it');
}
const scopes = ['stock'];

test('a field needs the scopes of the type that it returns', () => {
  const needed = scopesOfField(field);
  expect(needed).toEqual(scopes);
  expect(() => {
    expectScopes(new Set(['prices']), needed);
  }).toThrow('This request needs the scope stock');
  expectScopes(new Set(scopes), needed);
});

test('expectKnownScopes rejects a scope that the store does not define, and names the type that needs it', () => {
  expect(() => {
    expectKnownScopes(schema, new Set(['prices']));
  }).toThrow("Item needs the scope stock, which the store doesn't define: add it to access.scopes");
  expectKnownScopes(schema, new Set(scopes));
});

test('deprecationsIn lists each deprecation in a schema', () => {
  expect(deprecationsIn(schema)).toEqual([old]);
});

const COLOR = 'colors must be a string of 1 to 9 characters, without NUL or unpaired surrogates';

test('an input rule is checked for each item of a list, and each fault has its path', () => {
  const value = [{ colors: ['red'] }, { colors: ['', 5] }, {}];
  expect(inputFaults(paints, value)).toEqual(
    [
      ['paints', 1, 'colors', 0],
      ['paints', 1, 'colors', 1],
      ['paints', 2, 'colors'],
    ].map((path) => ({ path, message: COLOR })),
  );
});

test('a list with more than maxItems items is rejected', () => {
  const value = { paints: Array.from({ length: 4 }, () => ({ colors: ['red'] })) };
  expect(argumentFaults([paints], value)).toEqual([
    { path: ['paints'], message: 'paints must be a list of 1 to 3 items' },
  ]);
});

test('inputsByVariable returns the paths of variables inside lists', () => {
  const document = parse(
    'query($a: Paint!, $b: [String!]!, $c: String!) { painted(paints: [$a, { colors: $b }, { colors: ["red", $c] }]) }',
  );
  const paths = [...inputsByVariable(schema, document)].map(([name, { path }]) => [name, path]);
  expect(paths).toEqual([
    ['a', ['paints', 0]],
    ['b', ['paints', 1, 'colors']],
    ['c', ['paints', 2, 'colors', 1]],
  ]);
});

test.each([
  ['color is already taken', ['color']],
  ['The combination of colors and color is already taken', ['colors', 'color']],
])(
  'a constraint violation is reported with the names of the inputs at fault: %s',
  (message, fields) => {
    const error = violationError(
      { kind: 'unique', fields },
      { paints: [{ colors: ['red'], color: 'blue' }] },
      { parentType: query, fieldName: 'painted', returnType: field.type },
    );
    expect(error.message).toBe(message);
    expect(error.extensions).toMatchObject({
      code: 'CONFLICT',
      faults: fields.map((name) => ({ path: ['paints', 0, name], message })),
    });
  },
);
