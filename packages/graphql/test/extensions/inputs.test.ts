import { parse } from 'graphql';
import { expect, test } from 'vitest';
import {
  argumentFaults,
  inputFaults,
  inputsByVariable,
} from '../../src/extensions/input-faults.ts';
import { violationError } from '../../src/extensions/violation-error.ts';
import { shopSchema } from './shop.ts';

const schema = shopSchema();
const query = schema.getQueryType();
const field = query?.getFields()['painted'];
const paints = field?.args[0];
if (query == null || field === undefined || paints === undefined) {
  throw new Error('the schema has it');
}
const COLOR = 'colors must be a string of 1 to 9 characters, without NUL or unpaired surrogates';

test('a rule is checked for each item of a list, and each fault has its path', () => {
  const value = [{ colors: ['red'] }, { colors: ['', 5] }, {}];
  expect(inputFaults(paints, value)).toEqual(
    [
      ['paints', 1, 'colors', 0],
      ['paints', 1, 'colors', 1],
      ['paints', 2, 'colors'],
    ].map((path) => ({ path, message: COLOR })),
  );
});

test('a list has no more items than it may', () => {
  const value = { paints: Array.from({ length: 4 }, () => ({ colors: ['red'] })) };
  expect(argumentFaults([paints], value)).toEqual([
    { path: ['paints'], message: 'paints must be a list of 1 to 3 items' },
  ]);
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

test('what a database rejects is told by the name of the input', () => {
  const error = violationError(
    { kind: 'unique', fields: ['color'] },
    { paints: [{ colors: ['red'], color: 'blue' }] },
    { parentType: query, fieldName: 'painted', returnType: field.type },
  );
  expect(error.message).toBe('color is already taken');
  expect(error.extensions).toMatchObject({
    code: 'CONFLICT',
    faults: [{ path: ['paints', 0, 'color'] }],
  });
});

test('values that are only unique together are told in one sentence', () => {
  const error = violationError(
    { kind: 'unique', fields: ['color', 'colors'] },
    { paints: [{ colors: ['red'], color: 'blue' }] },
    { parentType: query, fieldName: 'painted', returnType: field.type },
  );
  expect(error.message).toMatch(/^The combination of colors? and colors? is already taken$/);
  expect(error.extensions.faults?.map(({ message }) => message)).toEqual([
    error.message,
    error.message,
  ]);
});
