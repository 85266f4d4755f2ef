import { graphql } from 'graphql';
import { expect, test } from 'vitest';
import { shopSchema } from './shop.ts';

const schema = shopSchema();
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

test('a value of an enum may be another in resolvers', async () => {
  const source = '{ sizeInNumbers(size: LARGE) }';
  expect(await graphql({ schema, source, contextValue: {} })).toEqual({
    data: { sizeInNumbers: 2 },
  });
});
