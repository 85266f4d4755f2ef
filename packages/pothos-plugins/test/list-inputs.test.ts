import { graphql, parse } from 'graphql';
import { expect, test } from 'vitest';
import { inputFaults } from '@store-gateway/schema-extensions/input-faults';
import { inputsByVariable } from '@store-gateway/schema-extensions/variable-inputs';
import { shopSchema } from './shop.ts';

const schema = shopSchema();
const paints = schema.getQueryType()?.getFields()['painted']?.args[0];
if (paints === undefined) {
  throw new Error('the schema has it');
}
const COLOR = 'colors must be a string of 1 to 9 characters, without NUL or unpaired surrogates';

test.each<[string, (string | number)[][]]>([
  ['[{ colors: ["red"] }, { colors: "blue" }, { colors: [] }]', []],
  [
    '[{ colors: ["red", ""] }, { colors: ["\\u0000"] }]',
    [
      ['paints', 0, 'colors', 1],
      ['paints', 1, 'colors', 0],
    ],
  ],
])('a rule is checked for each item of a list: %s', async (list, paths) => {
  const { errors = [] } = await graphql({
    schema,
    source: `{ painted(paints: ${list}) }`,
    contextValue: {},
  });
  const faults = errors.flatMap(({ extensions }) => extensions.faults ?? []);
  expect(faults).toEqual(paths.map((path) => ({ path, message: COLOR })));
});

test('the faults of a value in JSON have the same paths', () => {
  const value = [{ colors: ['red'] }, { colors: ['', 5] }, {}];
  expect(inputFaults(paints, value)).toEqual(
    [
      ['paints', 1, 'colors', 0],
      ['paints', 1, 'colors', 1],
      ['paints', 2, 'colors'],
    ].map((path) => ({ path, message: COLOR })),
  );
});

test('variables within lists have the same paths', () => {
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

test('a value of an enum may be another in resolvers', async () => {
  const source = '{ sizeInNumbers(size: LARGE) }';
  expect(await graphql({ schema, source, contextValue: {} })).toEqual({
    data: { sizeInNumbers: 2 },
  });
});
