import { expect, test } from 'vitest';
import { answersTo } from '../support/documents.ts';
import { startGateway } from '../support/gateway.ts';

const off = await startGateway({ graphqlIntrospection: false });
const on = await startGateway();

const ask = (gateway: typeof on, query: string) => answersTo(gateway)(query);

test.each([
  ['__schema', '{ __schema { queryType { name } } }', 3],
  ['__schema', '{ pets { id } s: __schema { description } }', 15],
  ['__type', '{ ...F } fragment F on Query { __type(name: "Pet") { name } }', 32],
])('with introspection disabled, %s is rejected: %s', async (name, query, column) => {
  expect(await ask(on, query)).toMatchObject({ status: 200 });
  expect(await ask(off, query)).toMatchObject({
    status: 422,
    json: {
      errors: [
        {
          message: `Introspection is disabled: ${name} cannot be queried`,
          locations: [{ line: 1, column }],
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', status: 422 },
        },
      ],
    },
  });
});

test('with introspection disabled, a trusted document that uses introspection is rejected', async () => {
  const document = '{ __schema { description } }';
  const hash = 'e'.repeat(64);
  await off.tables.trustedDocument.create({ data: { hash, document } });
  const { status, text } = await off.post('/graphql', { documentId: hash });
  expect([status, text]).toEqual([200, expect.stringContaining('Introspection is disabled')]);
});

test('with introspection disabled, __typename is allowed', async () => {
  const { status, json } = await ask(off, '{ __typename pets { __typename } }');
  expect([status, json]).toEqual([200, { data: { __typename: 'Query', pets: [] } }]);
});

test.each([
  '{ petz { id } }',
  '{ pets(limt: 1) { id } }',
  '{ pets(status: avaliable) { id } }',
  'mutation { createPet(input: { nme: "Rex", categoryId: 1 }) { id } }',
  '{ pets { ... on Pets { id } } }',
  'query ($status: PetStatu) { pets(status: $status) { id } }',
])(
  'with introspection disabled, the error for an unknown name does not suggest other names: %s',
  async (query) => {
    const suggestion = 'Did you mean';
    expect((await ask(on, query)).text).toContain(suggestion);
    const { status, text } = await ask(off, query);
    expect([status, text]).toEqual([422, expect.not.stringContaining(suggestion)]);
  },
);
