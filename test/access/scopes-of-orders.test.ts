import SchemaBuilder from '@pothos/core';
import { expect, test } from 'vitest';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { models } from '../../examples/library/prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../examples/library/prisma/generated/client.ts';
import type PrismaTypes from '../../examples/library/prisma/generated/pothos.ts';
import { getDatamodel } from '../../examples/library/prisma/generated/pothos.ts';
import { allScopesBut, startGuardedLibrary } from '../support/guarded-library.ts';

const builder = new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
  builderOptions(models, getDatamodel()),
);
const Loan = builder.prismaObject('Loan', {
  resource: { plural: 'loans' },
  fields: (t) => ({
    id: t.exposeID('id'),
    borrower: t.exposeString('borrower', { nullable: true, scopes: ['people'] }),
    due: t.expose('due', { type: builder.timestampType() }),
  }),
});
const loans = builder.listField(Loan, {
  orderBy: [['-due', 'borrower']],
  ranges: ['due'],
  find: (query, { database }) => database.loan.findMany(query),
});
builder.connectionField(loans);
builder.queryType({});

const { graphql, database } = await startGuardedLibrary({
  schema: builder.toSchema({ sortSchema: false }),
  rest: { basePath: '/v1', info: { title: 'Loans', version: '1.0.0' }, routes: [] },
});
await database.author.create({ data: { name: 'James Joyce' } });
await database.book.create({ data: { title: 'Ulysses', isbn: '1', authorId: 1n } });
await database.loan.create({ data: { borrower: 'Nora', due: new Date(0), bookId: 1n } });

test('a range, which orders a list by more columns than its own, needs what these need', async () => {
  const query = '{ loansConnection(dueFrom: "1970-01-01T00:00:00Z") { pageInfo { endCursor } } }';
  const allowed = await graphql('all', query);
  expect(allowed.status).toBe(200);
  const [, cursor = ''] = /"endCursor":"([\w-]+)"/.exec(allowed.text) ?? [];
  expect(Buffer.from(cursor, 'base64url').toString()).toContain('Nora');
  const refused = await graphql(allScopesBut('people'), query);
  expect([refused.status, refused.text]).toEqual([
    403,
    expect.stringContaining('This request needs the scope people'),
  ]);
});
