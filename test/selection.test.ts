import SchemaBuilder from '@pothos/core';
import { graphql as execute } from 'graphql';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { isJsonObject } from '../src/json.ts';
import { builder } from '../src/schema/builder.ts';
import { startGateway } from './support/gateway.ts';

const { graphql, post, database } = await startGateway();
await post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'sold' });

// The service runs in this process: whatever it asks PostgreSQL goes through here.
const query = vi.spyOn(Client.prototype, 'query');

/** The statements about animals that a GraphQL document leads to, without schema and quotes. */
async function statementsOf(document: string): Promise<string[]> {
  query.mockClear();
  const { json } = await graphql(document);
  expect(json).not.toHaveProperty('errors');
  return query.mock.calls
    .map(([statement]: readonly unknown[]) =>
      isJsonObject(statement) ? String(statement['text']) : String(statement),
    )
    .map((text) => text.replaceAll(/"public"\."pets"\.|"public"\.|"/g, ''))
    .filter((text) => text.includes('pets'));
}

// The plugin reads the primary key whatever else is asked for.
test.each([
  ['{ pets { id } }', 'id'],
  ['{ pets { name } }', 'id, name'],
  ['{ pets { __typename } }', 'id'],
  ['{ pets { id categoryId } }', 'id, category_id'],
  ['{ pets { status name } }', 'id, status::text, name'],
  ['{ pets { id name categoryId status } }', 'id, name, category_id, status::text'],
  ['{ pets { a: name b: name } }', 'id, name'],
  ['{ pets { name @skip(if: true) } }', 'id'],
  ['{ pets { ...F } pets { ... on Pet { name } } } fragment F on Pet { id }', 'id, name'],
])('%s reads %s, in one statement', async (document, columns) => {
  expect(await statementsOf(document)).toEqual([
    `SELECT ${columns} FROM pets WHERE 1=1 ORDER BY id ASC LIMIT $1 OFFSET $2`,
  ]);
});

test('fields of different names are read for themselves', async () => {
  expect(await statementsOf('{ a: pets { id } b: pets(limit: 1) { name } }')).toEqual([
    'SELECT id FROM pets WHERE 1=1 ORDER BY id ASC LIMIT $1 OFFSET $2',
    'SELECT id, name FROM pets WHERE 1=1 ORDER BY id ASC LIMIT $1 OFFSET $2',
  ]);
});

test('a page is read by its filter and the id that it goes on behind', async () => {
  expect(await statementsOf('{ pets(status: sold, after: 0, limit: 7) { id } }')).toEqual([
    'SELECT id FROM pets WHERE (status = CAST($1::text AS pet_status) AND id > $2) ORDER BY id ASC LIMIT $3 OFFSET $4',
  ]);
});

test.each([
  ['{ pet(id: 1) { id } }', 'id'],
  ['{ pet(id: 1) { status } }', 'id, status::text'],
])('%s reads %s', async (document, columns) => {
  expect(await statementsOf(document)).toEqual([
    `SELECT ${columns} FROM pets WHERE (id = $1 AND 1=1) LIMIT $2 OFFSET $3`,
  ]);
});

test.each([
  ['{ id }', 'id'],
  ['{ name }', 'id, name'],
])('createPet %s reads %s of what it writes, in one statement', async (selection, columns) => {
  const input = '{ name: "Rex", categoryId: 1 }';
  expect(await statementsOf(`mutation { createPet(input: ${input}) ${selection} }`)).toEqual([
    `INSERT INTO pets (name,category_id,status) VALUES ($1,$2,CAST($3::text AS pet_status)) RETURNING ${columns}`,
  ]);
});

test.each(['{ __schema { types { name } } }', '{ __typename }'])(
  '%s reads nothing',
  async (document) => {
    expect(await statementsOf(document)).toEqual([]);
  },
);

/** A schema of the service's own builder options, with a resolver that may forget its selection. */
function schemaThat(forgets: boolean) {
  const own: typeof builder = new SchemaBuilder(builder.options);
  const Pet = own.prismaObject('Pet', {
    select: {},
    fields: (t) => ({ name: t.exposeString('name') }),
  });
  own.queryType({
    fields: (t) => ({
      pets: t.prismaField({
        type: [Pet],
        resolve: (selection) => database.pet.findMany(forgets ? {} : selection),
      }),
    }),
  });
  return own.toSchema();
}

test('a resolver that forgets to hand its selection on fails', async () => {
  const source = '{ pets { name } }';
  const contextValue = { database, caller: { keyId: 0n } };
  const good = await execute({ schema: schemaThat(false), source, contextValue });
  expect(good.errors).toBe(undefined);
  const bad = await execute({ schema: schemaThat(true), source, contextValue });
  expect(bad.errors?.map(({ message }) => message)).toEqual([
    'Prisma query was unused in resolver for Query.pets',
  ]);
});
