import { parse, specifiedRules } from 'graphql';
import { expect, test } from 'vitest';
import { complexityFault, complexityOf } from '../src/bounds/complexity.ts';
import { parseWithinBounds, validateWithinBounds } from '../src/bounds/document.ts';
import { schema, times } from './things.ts';

const faultsOf = (query: string) =>
  validateWithinBounds(schema, parse(query), specifiedRules).map(({ message }) => message);
const nested = (levels: number) =>
  `{ thing ${times(levels - 2, () => '{ part')} { id } ${'}'.repeat(levels - 1)}`;

const TOO_DEEP = 'is nested 21 levels deep; at most 20 are allowed';
const TOO_MANY_ALIASES = 'has 31 aliases; at most 30 are allowed';
const TOO_MANY_OF_A_NAME = 'has too many fields of the same name to be validated';
const LIST = 'things(limit: 1) { id } ';

test.each<[string, number, (count: number) => string, string]>([
  ['nesting levels', 20, nested, TOO_DEEP],
  [
    'nesting levels, including those in fragments',
    20,
    (levels) =>
      `{ thing { ...F } } fragment F on Thing ${times(levels - 2, () => '{ part')} { id } ${'}'.repeat(levels - 2)}`,
    TOO_DEEP,
  ],
  [
    'nesting levels, not counting inline fragments',
    20,
    (levels) => `{ ... on Query { ... ${nested(levels)} } }`,
    TOO_DEEP,
  ],
  ['aliases', 30, (count) => `{ ${times(count, (n) => `a${n}: __typename`)} }`, TOO_MANY_ALIASES],
  [
    'aliases, counted for each use of their fragment',
    30,
    (count) =>
      `{ ${'...F '.repeat(9)} ${times(count - 27, (n) => `b${n}: __typename`)} }
       fragment F on Query { a0: __typename a1: __typename ... { a2: __typename } }`,
    TOO_MANY_ALIASES,
  ],
  [
    'directives, in any place',
    50,
    (count) =>
      `query($x: Int) { ...F @skip(if: false) ${'__typename @skip(if: false) '.repeat(count - 2)} }
       fragment F on Query { ... @skip(if: false) { things(limit: $x) { id } } }`,
    'has 51 directives; at most 50 are allowed',
  ],
  [
    'leaf fields with the same name',
    283,
    (count) => `{ ${'__typename '.repeat(count)} }`,
    TOO_MANY_OF_A_NAME,
  ],
  [
    'list fields with the same name',
    69,
    (count) => `{ ${LIST.repeat(count)} }`,
    TOO_MANY_OF_A_NAME,
  ],
  [
    'list fields with the same name, including those in fragments',
    69,
    (count) =>
      `{ ...F ... { ${LIST.repeat(count - 2)} } }
       fragment F on Query { ${LIST} ...G } fragment G on Query { ${LIST} }`,
    TOO_MANY_OF_A_NAME,
  ],
  [
    'equal leaf fields in each of 16 list fields with the same name',
    16,
    (count) => `{ ${`things(limit: 1) { part { ${'id '.repeat(count)} } } `.repeat(16)} }`,
    TOO_MANY_OF_A_NAME,
  ],
])('a document may have at most this number of %s: %i', (_what, maximum, query, fault) => {
  expect(faultsOf(query(maximum))).toEqual([]);
  expect(faultsOf(query(maximum + 1))).toEqual([`The document ${fault}`]);
});

test('limits apply to each operation in a document separately', () => {
  const aliases = times(30, (n) => `a${n}: __typename`);
  expect(faultsOf(`query A { ${aliases} } query B { ${aliases} __typename }`)).toEqual([]);
});

/** Fragments that each use the next one twice. Expanded, the last fragment would appear 2^40 times. */
const doubling = (type: string, use: (next: string) => string) =>
  times(40, (n) => `fragment F${n} on ${type} { ${use(`...F${n + 1}`)} }`);

test.each([
  [
    'with aliases',
    `{ thing { ...F0 } } ${doubling('Thing', (next) => `a: part { ${next} } b: part { ${next} }`)}
     fragment F40 on Thing { id }`,
    [
      'The document is nested 42 levels deep; at most 20 are allowed',
      `The document has ${2 ** 41 - 2} aliases; at most 30 are allowed`,
    ],
  ],
  [
    'with directives',
    `{ ...F0 } ${doubling('Query', (next) => `${next} @skip(if: false) ${next}`)}
     fragment F40 on Query { __typename }`,
    [`The document has ${2 ** 40 - 1} directives; at most 50 are allowed`],
  ],
  [
    'that form a cycle',
    '{ ...A } fragment A on Query { ...B ...B } fragment B on Query { ...A }',
    ['Cannot spread fragment "A" within itself via "B".'],
  ],
  ['that do not exist', '{ ...A ...A }', Array(2).fill('Unknown fragment "A".')],
])('fragments %s are counted without being expanded', (_what, query, faults) => {
  expect(faultsOf(query)).toEqual(faults);
});

test.each([
  [
    'used side by side',
    `{ thing { ${times(100, (n) => `...F${n}`)} } } ${times(100, (n) => `fragment F${n} on Thing { id }`)}`,
  ],
  [
    'nested in each other',
    `{ thing { ...F0 } } ${times(99, (n) => `fragment F${n} on Thing { id ...F${n + 1} }`)}
     fragment F99 on Thing { id }`,
  ],
  [
    'that all use the same fragment',
    `{ thing { ${times(70, (n) => `...F${n}`)} } }
     ${times(70, (n) => `fragment F${n} on Thing { id ...Shared }`)} fragment Shared on Thing { name }`,
  ],
])('the number of fragments %s is limited only by the number of tokens', (_how, query) => {
  expect(faultsOf(query)).toEqual([]);
});

test('only the first 20 validation errors of a document are reported', () => {
  expect(faultsOf(`{ ${times(30, (n) => `x${n}`)} }`)).toEqual([
    ...Array.from({ length: 20 }, (_, n) => `Cannot query field "x${n}" on type "Query".`),
    'Too many validation errors, error limit reached. Validation aborted.',
  ]);
});

test('a document may have at most 1000 tokens, and has no locations if it has more than 1000 line breaks', () => {
  expect(() => parseWithinBounds(`{${' a'.repeat(998)}}`)).not.toThrow();
  expect(() => parseWithinBounds(`{${' a'.repeat(999)}}`)).toThrow(
    'The document has too many tokens; at most 1000 are allowed',
  );
  expect(() =>
    parseWithinBounds(`{ a ${','.repeat(5000)} # ${'{ '.repeat(5000)}\n}`),
  ).not.toThrow();
  expect(() => parseWithinBounds('{')).toThrow('Syntax Error');
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
  ['query($constructor: Int) { things(limit: $constructor) { id } }', {}, 10 + 20],
  ['{ things(last: 9) { id } }', {}, 10 + 9],
  ['{ things(limit: null, last: null) { id } }', {}, 10 + 20],
  ['query($n: Int, $m: Int) { things(limit: $n, last: $m) { id } }', { m: 40 }, 10 + 40],
  ['query($n: Int, $m: Int) { things(limit: $n, last: $m) { id } }', { n: 3, m: 2 }, 10 + 3],
  ['query($n: Int) { things(limit: $n, last: 5) { id } }', { n: 4 }, 10 + 5],
  // An empty page may still have page info, and a rejected size executes nothing.
  ['{ things(limit: 0) { id } }', {}, 10 + 1],
  ['{ things(last: 5001) { id } }', {}, 10],
  ['{ ... @skip(if: true) { thing { id } } }', {}, 10 + 1],
  [
    'query($n: Int) { ...F ...F } fragment F on Query { things(limit: $n) { ...T } } fragment T on Thing { id name }',
    { n: 5 },
    2 * (10 + 5 * 2),
  ],
  [
    `query($n: Int) { ...F0 } ${doubling('Query', (next) => `${next} ${next}`)} fragment F40 on Query { things(limit: $n) { id } }`,
    { n: 6 },
    16 * 2 ** 40,
  ],
  ['mutation { addThing { id } }', {}, 101],
])(
  'complexityOf computes the complexity of %s with the variables %j',
  (query, variableValues, expected) => {
    expect(complexityOf({ schema, document: parse(query), variableValues })).toBe(expected);
  },
);

test('an operation is rejected if its own complexity, not that of its document, exceeds 5000', () => {
  const document = parse('query A { thing { id } } query B { things(limit: 5000) { id } }');
  expect(complexityFault({ schema, document, operationName: 'A' })).toBeUndefined();
  expect(complexityFault({ schema, document, operationName: 'B' })).toMatchObject({
    message:
      'The operation has a complexity of 5010; at most 5000 is allowed, and the limit of a list multiplies the cost of its fields',
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
  const allowed = parse('{ things(limit: 4990) { id } }');
  expect(complexityFault({ schema, document: allowed })).toBeUndefined();
  expect(complexityOf({ schema, document, operationName: 'C' })).toBe(0);
  const single = parse('{ thing { id } }');
  expect(complexityOf({ schema, document: single, operationName: 'C' })).toBe(0);
});
