import { parse, specifiedRules } from 'graphql';
import { expect, test } from 'vitest';
import { complexityFault, complexityOf } from '../src/bounds/complexity.ts';
import { parseWithinBounds, validateWithinBounds } from '../src/bounds/document.ts';
import { schema, times } from './things.ts';

const faultsOf = (query: string) =>
  validateWithinBounds(schema, parse(query), specifiedRules).map(({ message }) => message);
const nested = (levels: number) =>
  `{ thing ${times(levels - 2, () => '{ part')} { id } ${'}'.repeat(levels - 1)}`;

test.each<[string, number, (count: number) => string, string]>([
  ['levels', 20, nested, 'is nested 21 levels deep; at most 20 are allowed'],
  [
    'aliases, fragments written out',
    30,
    (count) =>
      `{ ...F ...F ${times(count - 2, (n) => `b${n}: __typename`)} } fragment F on Query { a: __typename }`,
    'has 31 aliases; at most 30 are allowed',
  ],
  [
    'directives, wherever they are',
    50,
    (count) =>
      `query($x: Int) { ...F @skip(if: false) ${'__typename @skip(if: false) '.repeat(count - 2)} }
       fragment F on Query { ... @skip(if: false) { things(limit: $x) { id } } }`,
    'has 51 directives; at most 50 are allowed',
  ],
  [
    'fields of a name',
    283,
    (count) => `{ ${'__typename '.repeat(count)} }`,
    'has too many fields of the same name to be validated',
  ],
])('a document may have so many %s: %i', (_what, maximum, query, fault) => {
  expect(faultsOf(query(maximum))).toEqual([]);
  expect(faultsOf(query(maximum + 1))).toEqual([`The document ${fault}`]);
});

test('fragments that use each other are bounded without being written out', () => {
  const chain = times(
    40,
    (n) => `fragment F${n} on Thing { a: part { ...F${n + 1} } b: part { ...F${n + 1} } }`,
  );
  expect(faultsOf(`{ thing { ...F0 } } ${chain} fragment F40 on Thing { id }`)).toEqual([
    'The document is nested 42 levels deep; at most 20 are allowed',
    `The document has ${2 ** 41 - 2} aliases; at most 30 are allowed`,
  ]);
  expect(faultsOf('{ ...A } fragment A on Query { ...A }')).toEqual([
    'Cannot spread fragment "A" within itself.',
  ]);
});

test('a document has 1000 tokens at most, and no errors with locations after 1000 lines', () => {
  expect(() => parseWithinBounds(`{${' a'.repeat(998)}}`)).not.toThrow();
  expect(() => parseWithinBounds(`{${' a'.repeat(999)}}`)).toThrow(
    'The document has too many tokens; at most 1000 are allowed',
  );
  expect(parseWithinBounds(`${'\n'.repeat(1000)}{ a }`).loc).toBeDefined();
  expect(parseWithinBounds(`${'\n'.repeat(1001)}{ a }`).loc).toBeUndefined();
});

test.each<[string, Record<string, unknown>, number]>([
  ['{ things(limit: 7) { id name part { id } } }', {}, 10 + 7 * 4],
  ['{ things { id } __typename __schema { description } }', {}, 10 + 20 + 1 + 500],
  ['query($n: Int) { things(limit: $n) { id } }', { n: 30 }, 10 + 30],
  ['query($n: Int) { things(limit: $n) { id } }', {}, 10 + 20],
  ['query($n: Int = 3) { things(limit: $n) { id } }', {}, 10 + 3],
  ['query($n: Int = 3) { things(limit: $n) { id } }', { n: null }, 10 + 20],
  ['{ things(last: 9) { id } }', {}, 10 + 9],
  ['{ things(limit: null, last: null) { id } }', {}, 10 + 20],
  ['query($n: Int, $m: Int) { things(limit: $n, last: $m) { id } }', { m: 40 }, 10 + 40],
  ['query($n: Int) { things(limit: $n, last: 5) { id } }', { n: 4 }, 10 + 5],
  [
    'query($n: Int) { ...F ...F } fragment F on Query { things(limit: $n) { ...T } } fragment T on Thing { id name }',
    { n: 5 },
    2 * (10 + 5 * 2),
  ],
  ['mutation { addThing { id } }', {}, 101],
])('the complexity of %s with %j', (query, variableValues, expected) => {
  expect(complexityOf({ schema, document: parse(query), variableValues })).toBe(expected);
});

test('an operation is refused by its own complexity', () => {
  const document = parse('query A { thing { id } } query B { things(limit: 5000) { id } }');
  expect(complexityFault({ schema, document, operationName: 'A' })).toBeUndefined();
  expect(complexityFault({ schema, document, operationName: 'B' })).toMatchObject({
    message:
      'The operation has a complexity of 5010; at most 5000 is allowed, and the limit of a list multiplies the cost of its fields',
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
  expect(complexityOf({ schema, document, operationName: 'C' })).toBe(0);
  const single = parse('{ thing { id } }');
  expect(complexityOf({ schema, document: single, operationName: 'C' })).toBe(0);
});
