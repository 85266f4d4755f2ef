import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { answersTo, PASSED, times } from '../support/large-documents.ts';

const answerTo = answersTo(await startGateway());

const TOO_MANY = 'has too many fields of the same name to be validated';

test.each<[string, number, (count: number) => string, string]>([
  ['leaves', 283, (count) => `{ ${'__typename '.repeat(count)} }`, TOO_MANY],
  ['lists', 69, (count) => `{ ${'pets(limit: 1) { id } '.repeat(count)} }`, TOO_MANY],
  [
    'lists, those in fragments included',
    69,
    (count) =>
      `{ ...F ... { ${'pets(limit: 1) { id } '.repeat(count - 2)} } }
       fragment F on Query { pets(limit: 1) { id } ...G }
       fragment G on Query { pets(limit: 1) { id } }`,
    TOO_MANY,
  ],
  [
    'leaves of lists',
    16,
    (count) => `{ ${`petsConnection(limit: 1) { nodes { ${'id '.repeat(count)} } } `.repeat(16)} }`,
    TOO_MANY,
  ],
])(
  'a name may be asked for so many times: %s: %i, and no more',
  async (_what, most, document, fault) => {
    expect(await answerTo(document(most))).toMatchObject(PASSED);
    const { status, json } = await answerTo(document(most + 1));
    expect([status, json]).toEqual([
      422,
      {
        errors: [
          {
            message: `The document ${fault}`,
            extensions: { code: 'GRAPHQL_VALIDATION_FAILED', status: 422 },
          },
        ],
      },
    ]);
  },
);

test.each([
  [
    'side by side',
    `{ pets { ${times(100, (index) => `...F${index}`)} } }
     ${times(100, (index) => `fragment F${index} on Pet { id }`)}`,
  ],
  [
    'in each other',
    `{ pets { ...F0 } }
     ${times(99, (index) => `fragment F${index} on Pet { id ...F${index + 1} }`)}
     fragment F99 on Pet { id }`,
  ],
  [
    'that all use another',
    `{ pets { ${times(70, (index) => `...F${index}`)} } }
     ${times(70, (index) => `fragment F${index} on Pet { id ...Shared }`)}
     fragment Shared on Pet { name }`,
  ],
])('fragments %s pass, as many as a document has room for', async (_how, document) => {
  expect(await answerTo(document)).toMatchObject(PASSED);
});

test('a document as a client composes it of its components passes', async () => {
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

test('of very many errors the first 20 are told', async () => {
  const { json } = await answerTo(`{ ${times(30, (index) => `x${index}`)} }`);
  const told = Array.from({ length: 20 }, (_, index) => ({
    message: `Cannot query field "x${index}" on type "Query".`,
  }));
  expect(json).toMatchObject({
    errors: [
      ...told,
      { message: 'Too many validation errors, error limit reached. Validation aborted.' },
    ],
  });
});

test.each([
  [1000, [{ line: 1001, column: 3 }]],
  [1001, undefined],
])('after %i line breaks an error is told with its place: %o', async (lines, locations) => {
  const { json } = await answerTo(`${'\n'.repeat(lines)}{ x }`);
  expect(json).toEqual({
    errors: [
      {
        message: 'Cannot query field "x" on type "Query".',
        ...(locations && { locations }),
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED', status: 422 },
      },
    ],
  });
});
