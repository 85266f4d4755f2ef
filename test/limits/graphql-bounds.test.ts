import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { answersTo, PASSED, times } from '../support/large-documents.ts';

const gateway = await startGateway();
const { request, graphql } = gateway;
const answerTo = answersTo(gateway);

const refused = (message: string) => ({
  status: 422,
  json: {
    errors: [
      {
        message: `The document ${message}`,
        locations: [{ line: 1, column: 1 }],
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ],
  },
});

const nested = (levels: number) =>
  `{ __type(name: "Pet") ${times(levels - 2, () => '{ ofType')} { name } ${'}'.repeat(levels - 1)}`;
const FALSE = '@skip(if: false)';

test.each<[string, number, (count: number) => string, string]>([
  ['levels', 20, nested, 'is nested 21 levels deep; at most 20 are allowed'],
  [
    'levels, those in fragments included',
    20,
    (levels) =>
      `{ __type(name: "Pet") { ...F } }
       fragment F on __Type ${times(levels - 2, () => '{ ofType')} { name } ${'}'.repeat(levels - 2)}`,
    'is nested 21 levels deep; at most 20 are allowed',
  ],
  [
    'levels, inline fragments not included',
    20,
    (levels) => `{ ... on Query { ... ${nested(levels)} } }`,
    'is nested 21 levels deep; at most 20 are allowed',
  ],
  [
    'aliases',
    30,
    (count) => `{ ${times(count, (index) => `a${index}: __typename`)} }`,
    'has 31 aliases; at most 30 are allowed',
  ],
  [
    'aliases, those in fragments as often as they are used',
    30,
    (count) =>
      `{ ${'...F '.repeat(9)} ${times(count - 27, (index) => `b${index}: __typename`)} }
       fragment F on Query { a0: __typename a1: __typename ... { a2: __typename } }`,
    'has 31 aliases; at most 30 are allowed',
  ],
  [
    'directives',
    50,
    (count) => `{ ${`__typename ${FALSE} `.repeat(count)} }`,
    'has 51 directives; at most 50 are allowed',
  ],
  [
    'directives, wherever they stand',
    50,
    (count) =>
      `{ ...F ${FALSE} ... ${FALSE} { __typename } ${`__typename ${FALSE} `.repeat(count - 3)} }
       fragment F on Query { __typename ${FALSE} }`,
    'has 51 directives; at most 50 are allowed',
  ],
])('a document may have so many %s: %i, and no more', async (_what, maximum, document, fault) => {
  expect(await answerTo(document(maximum))).toMatchObject(PASSED);
  expect(await answerTo(document(maximum + 1))).toMatchObject(refused(fault));
});

test('who asks for application/json hears of a bound with 200, as of any invalid document', async () => {
  const { json } = refused('is nested 21 levels deep; at most 20 are allowed');
  expect(await graphql(nested(21))).toMatchObject({ status: 200, json });
});

test('every operation of a document counts by itself', async () => {
  const aliases = times(30, (index) => `a${index}: __typename`);
  const { status, text } = await request('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      query: `query A { ${aliases} } query B { ${aliases} __typename }`,
      operationName: 'B',
    }),
  });
  expect([status, text]).toEqual([200, expect.stringContaining('"__typename":"Query"')]);
});

test('the whole introspection query passes', async () => {
  const everything = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  expect(await answerTo(everything)).toMatchObject(PASSED);
});

const CHAIN = 40;
/** Fragments that each use the next one twice: written out, there would be 2^40 of the last one. */
const doubling = (type: string, use: (next: string) => string, last: string) =>
  `${times(CHAIN, (index) => `fragment F${index} on ${type} { ${use(`...F${index + 1}`)} }`)}
   fragment F${CHAIN} on ${type} { ${last} }`;

test.each([
  [
    'fragments that double with aliases',
    `query { __type(name: "Pet") { ...F0 } }
     ${doubling('__Type', (next) => `a: ofType { ${next} } b: ofType { ${next} }`, 'name')}`,
    ['is nested 42 levels deep; at most 20', `has ${2 ** (CHAIN + 1) - 2} aliases; at most 30`],
  ],
  [
    'fragments that double with directives',
    `query { ...F0 } ${doubling('Query', (next) => `${next} ${FALSE} ${next}`, '__typename')}`,
    [`has ${2 ** CHAIN - 1} directives; at most 50`],
  ],
  [
    'fragments that use themselves',
    'query { ...A } fragment A on Query { ...B ...B } fragment B on Query { ...A }',
    ['Cannot spread fragment "A" within itself via "B".'],
  ],
  ['fragments that are not there', 'query { ...A ...A }', ['Unknown fragment "A".']],
  [
    'fields of the same name that are very many',
    `{ ${'__typename '.repeat(997)}}`,
    ['The document has too many fields of the same name to be validated'],
  ],
])('%s are refused', async (_what, document, faults) => {
  const { status, text } = await answerTo(document);
  expect(status).toBe(422);
  for (const fault of faults) {
    expect(text).toContain(JSON.stringify(fault).slice(1, -1));
  }
});

test('a document of ten thousand aliases is not parsed', async () => {
  expect(await answerTo(`{ ${'a: b '.repeat(10_000)}}`)).toMatchObject({
    status: 400,
    text: expect.stringContaining('has too many tokens; at most 1000') as unknown,
  });
});
