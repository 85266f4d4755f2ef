import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { isWellFormed } from '../support/answer-form.ts';
import { startGateway } from '../support/gateway.ts';
import { answersTo, PASSED } from '../support/documents.ts';
import { times } from '../../packages/graphql/test/things.ts';

/* How the gateway enforces the bounds of documents and operations. packages/graphql/test/bounds.test.ts tests each bound. */

const gateway = await startGateway();
const { graphql, database } = gateway;
const answerTo = answersTo(gateway);
await database.pet.create({ data: { name: 'Rex', categoryId: 1n, status: 'sold' } });

const refused = (message: string) => ({
  status: 422,
  json: {
    errors: [
      {
        message,
        locations: [{ line: 1, column: 1 }],
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED', status: 422 },
      },
    ],
  },
});
const tooComplex = (complexity: number) =>
  refused(
    `The operation has a complexity of ${complexity}; at most 5000 is allowed, and the limit of a list multiplies the cost of its fields`,
  );

test('a document that exceeds a bound returns 422, or 200 as application/json', async () => {
  const document = `{ ${times(31, (index) => `a${index}: __typename`)} }`;
  const { json, status } = refused('The document has 31 aliases; at most 30 are allowed');
  expect(await answerTo(document)).toMatchObject({ status, json });
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
  expect(await graphql(document)).toMatchObject({
    status: 200,
    json: { errors: [{ extensions }] },
  });
});

test('too many fields with the same name are rejected without a location', async () => {
  const { status, json } = await answerTo(`{ ${'__typename '.repeat(997)}}`);
  const message = 'The document has too many fields of the same name to be validated';
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', status: 422 };
  expect([status, json]).toEqual([422, { errors: [{ message, extensions }] }]);
});

test('the full introspection query is within the bounds', async () => {
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

test('a document composed of fragments from many components is within the bounds', async () => {
  const components = 20;
  const document = `
    query Page($after: ID) {
      available: petsConnection(status: available, limit: 2, after: $after) { ...List }
      sold: petsConnection(status: sold, limit: 2) { ...List }
    }
    fragment List on PetConnection {
      edges { cursor node { __typename ${times(components, (index) => `...Component${index}`)} } }
      nodes { id ...Component0 ...Component1 }
      pageInfo { hasNextPage endCursor __typename }
    }
    ${times(components, (index) => `fragment Component${index} on Pet { id name status ...Label __typename }`)}
    fragment Label on Pet { id name __typename }`;
  expect(await answerTo(document)).toMatchObject(PASSED);
});

test('a document with more than 1000 tokens is not parsed', async () => {
  const document = `query Names { ${'... { __typename } '.repeat(249)}}`;
  expect(await graphql(document)).toMatchObject(PASSED);
  const { json } = await graphql(`${document} fragment ${'a: b '.repeat(10_000)}`);
  expect(json).toEqual({
    errors: [
      {
        message: 'The document has too many tokens; at most 1000 are allowed',
        locations: [{ line: 1, column: document.length + 2 }],
        extensions: { code: 'GRAPHQL_PARSE_FAILED', status: 400 },
      },
    ],
  });
});

const nested = (open: string, middle: string, close: string) => (count: number) =>
  open.repeat(count) + middle + close.repeat(count);

// Without the token bound, each document would exhaust the stack of the functions that read it.
test.each<[string, number, (count: number) => string]>([
  ['unknown fields', 3, nested('{ a', '{ a }', '}')],
  [
    'known fields',
    6,
    (count) => `{ __schema { types ${nested('{ fields { type', '{ name }', '} }')(count)} } }`,
  ],
  ['fragments', 3, nested('{ ...', '{ __typename }', '}')],
  ['fragments of an animal', 3, (count) => `{ pets ${nested('{ ...', '{ id }', '}')(count)} }`],
  ['lists', 2, (count) => `{ pets(limit: ${nested('[', '1', ']')(count)}) { id } }`],
  ['objects', 4, (count) => `{ pets(limit: ${nested('{ a: ', '1', '}')(count)}) { id } }`],
  [
    'types',
    2,
    (count) => `query($n: ${nested('[', 'Int', ']')(count)}) { pets(limit: $n) { id } }`,
  ],
])(
  '%s may be nested as deep as the token bound allows, but not deeper',
  async (_what, tokens, document) => {
    const count = Math.floor(980 / tokens);
    const deep = await graphql(document(count));
    expect([isWellFormed(deep), deep.text]).toEqual([true, expect.not.stringContaining('tokens')]);
    const deeper = await graphql(document(count * 5));
    expect(deeper.json).toHaveProperty('errors.0.extensions.code', 'GRAPHQL_PARSE_FAILED');
  },
);

/** `count` pages of 100 whole animals, each with a complexity of 410. */
const pages = (count: number) =>
  times(count, (index) => `p${index}: pets(limit: 100) { id name categoryId status }`);
/** Pages that leave a complexity of 80 for other fields. */
const PAGES = pages(12);
const nodes = (size: string) => `petsConnection(${size}) { nodes { id } }`;

// The maximum that is allowed, and the complexity of one more.
test.each<[string, number, (n: number) => string, number]>([
  ['a list', 70, (n) => `{ ${PAGES} pets(limit: ${n}) { id } }`, 5001],
  [
    'a list with the default limit of 20',
    3,
    (n) => `{ ${PAGES} pets { ${'id '.repeat(n)} } }`,
    5010,
  ],
  [
    'a connection',
    68,
    (n) => `{ ${pages(11)} petsConnection(limit: ${n}) {
      nodes { id } edges { node { id } } pageInfo { hasNextPage }
    } }`,
    5003,
  ],
  ['first in a connection', 35, (n) => `{ ${PAGES} ${nodes(`first: ${n}`)} }`, 5002],
  ['last in a connection', 35, (n) => `{ ${PAGES} ${nodes(`limit: null, last: ${n}`)} }`, 5002],
])('the complexity of an operation includes %s', async (_what, maximum, query, beyond) => {
  expect(await answerTo(query(maximum))).toMatchObject(PASSED);
  expect(await answerTo(query(maximum + 1))).toMatchObject(tooComplex(beyond));
});

test('an operation whose mutations are too complex creates nothing', async () => {
  const create = 'createPet(input: { name: "Rex", categoryId: 1 }) { id }';
  expect(await answerTo(`mutation { ${times(50, () => create)} }`)).toMatchObject(tooComplex(5050));
  expect(await database.pet.count()).toBe(1);
  expect(await answerTo(`mutation { ${times(49, () => create)} }`)).toMatchObject(PASSED);
  expect(await database.pet.count()).toBe(2);
});
