import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';

// Rate limits would write their counts from time to time, with additional statements.
const { graphql, post, deprecatedCalls } = await startGateway({ rateLimit: undefined });
await post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'sold' });

// The service runs in this process, so all of its statements pass through this method.
const query = vi.spyOn(Client.prototype, 'query');

/** The names of the statements that a GraphQL document runs, without the suffix `:which` for a single row or page. */
async function statementsOf(document: string): Promise<unknown[]> {
  // Writes what the previous test has counted.
  await deprecatedCalls.flush();
  query.mockClear();
  const { json } = await graphql(document);
  expect(json).not.toHaveProperty('errors');
  return query.mock.calls
    .flatMap(([statement]: readonly unknown[]) =>
      // The pool's own statements, which may run at any time, are plain strings.
      isJsonObject(statement) ? String(statement['name']).replace(/:.*/, '') : [],
    )
    .filter((name) => name !== 'find-key-by-hash');
}

const backward = '{ nodes { id } pageInfo { hasPreviousPage hasNextPage startCursor } }';
const paged = (args: string, field: string) =>
  `{ petsConnection(${args}) { nodes { id } a: pageInfo { ${field} } b: pageInfo { ${field} } } }`;

test.each<[statements: string, document: string]>([
  ['Pet.findPages', '{ pets { id } }'],
  ['Pet.findPages', '{ pets(status: sold, after: 0, limit: 7) { name } }'],
  [
    'Pet.findPages',
    '{ petsConnection { edges { node { id } } nodes { name } pageInfo { hasNextPage } } }',
  ],
  ['Pet.findPages', '{ pets { ...F } pets { ... on Pet { name } } } fragment F on Pet { id }'],
  // The fields of an operation share a statement.
  [
    'Pet.findPages',
    '{ a: pets { id } b: pets(limit: 1) { name } c: petsConnection(status: sold) { nodes { id } } }',
  ],
  ['Pet.findPages', `{ petsConnection(last: 2) ${backward} }`],
  ['Pet.findPages', `{ petsConnection(last: 2, before: 9) { edges { node { id } } } }`],
  [
    'Pet.findPages',
    '{ a: petsConnection(last: 2, status: sold) { nodes { id } } b: petsConnection(before: 2) { nodes { id } } }',
  ],
  ['Pet.findPages Pet.findPages', paged('first: 2, after: 1', 'hasPreviousPage')],
  ['Pet.findPages', paged('first: 2, after: 1', 'hasNextPage')],
  ['Pet.findPages Pet.findPages', paged('last: 2, before: 9', 'hasNextPage')],
  ['Pet.findPages', paged('last: 2, before: 9', 'hasPreviousPage')],
  ['Pet.findByIds', '{ pet(id: 1) { id } }'],
  ['Pet.findByIds', '{ a: pet(id: 1) { id } b: pet(id: "1") { status } }'],
  ['Pet.createAll', 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id name } }'],
  ['', '{ __schema { types { name } } }'],
  ['', '{ __typename }'],
])('PostgreSQL runs only the statements "%s" for %s', async (statements, document) => {
  expect((await statementsOf(document)).join(' ')).toBe(statements);
});
