import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';

// What limits count is written now and then, by statements of its own.
const { graphql, post, deprecatedCalls } = await startGateway({ rateLimit: undefined });
await post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'sold' });

// The service runs in this process: whatever it asks PostgreSQL goes through here.
const query = vi.spyOn(Client.prototype, 'query');

/** The statements that a GraphQL document leads to, by what they do: one for a single row or page is named `name:which`. */
async function statementsOf(document: string): Promise<unknown[]> {
  // What has been counted of the test before.
  await deprecatedCalls.flush();
  query.mockClear();
  const { json } = await graphql(document);
  expect(json).not.toHaveProperty('errors');
  return query.mock.calls
    .flatMap(([statement]: readonly unknown[]) =>
      // What a pool does for its connections, at any time, is given as text alone.
      isJsonObject(statement) ? String(statement['name']).replace(/:.*/, '') : [],
    )
    .filter((name) => name !== 'find-key-by-hash');
}

test.each([
  '{ pets { id } }',
  '{ pets(status: sold, after: 0, limit: 7) { name } }',
  '{ petsConnection { edges { node { id } } nodes { name } pageInfo { hasNextPage } } }',
  '{ pets { ...F } pets { ... on Pet { name } } } fragment F on Pet { id }',
  // All of a moment.
  '{ a: pets { id } b: pets(limit: 1) { name } c: petsConnection(status: sold) { nodes { id } } }',
])('%s takes one statement', async (document) => {
  expect(await statementsOf(document)).toEqual(['Pet.findPages']);
});

test.each([
  '{ petsConnection(last: 2) { nodes { id } pageInfo { hasPreviousPage hasNextPage } } }',
  '{ petsConnection(last: 2, before: 9) { edges { node { id } } pageInfo { startCursor } } }',
  '{ a: petsConnection(last: 2, status: sold) { nodes { id } } b: petsConnection(before: 2) { nodes { id } } }',
])('%s takes one statement, backwards', async (document) => {
  expect(await statementsOf(document)).toEqual(['Pet.findPages']);
});

test.each([
  ['first: 2, after: 1', 'hasPreviousPage', ['Pet.findPages', 'Pet.findPages']],
  ['first: 2, after: 1', 'hasNextPage', ['Pet.findPages']],
  ['last: 2, before: 9', 'hasNextPage', ['Pet.findPages', 'Pet.findPages']],
  ['last: 2, before: 9', 'hasPreviousPage', ['Pet.findPages']],
])('petsConnection(%s) with %s runs only %j', async (args, field, statements) => {
  const document = `{ petsConnection(${args}) { nodes { id } a: pageInfo { ${field} } b: pageInfo { ${field} } } }`;
  expect(await statementsOf(document)).toEqual(statements);
});

test.each(['{ pet(id: 1) { id } }', '{ a: pet(id: 1) { id } b: pet(id: "1") { status } }'])(
  '%s takes one statement',
  async (document) => {
    expect(await statementsOf(document)).toEqual(['Pet.findByIds']);
  },
);

test('createPet takes one statement', async () => {
  const input = '{ name: "Rex", categoryId: 1 }';
  expect(await statementsOf(`mutation { createPet(input: ${input}) { id name } }`)).toEqual([
    'Pet.createAll',
  ]);
});

test.each(['{ __schema { types { name } } }', '{ __typename }'])(
  '%s reads nothing',
  async (document) => {
    expect(await statementsOf(document)).toEqual([]);
  },
);
