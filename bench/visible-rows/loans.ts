import SchemaBuilder from '@pothos/core';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/builder-options';
import { createGateway } from '@store-gateway/gateway/gateway';
import { int64 } from '@store-gateway/schema-extensions/input-rules';
import { models } from '../../examples/library/prisma/generated/batched-models.ts';
import { PrismaClient } from '../../examples/library/prisma/generated/client.ts';
import type PrismaTypes from '../../examples/library/prisma/generated/pothos.ts';
import { getDatamodel } from '../../examples/library/prisma/generated/pothos.ts';

/** The book whose loans the caller sees, or asks for. */
export const BOOK = 7n;

/**
 * Loans, of which the caller sees those of one book, or which it asks for by a filter. No two requests share an execution, as
 * they don't under a rule.
 */
export function loansGateway(isRuled: boolean) {
  const builder = new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
    builderOptions(models, getDatamodel()),
  );
  builder.queryType({});
  const Loan = builder.prismaObject('Loan', {
    ...(isRuled && { visible: { columns: ['bookId'], where: () => ({ bookId: BOOK }) } }),
    resource: { plural: 'loans' },
    fields: (t) => ({
      id: t.exposeID('id'),
      borrower: t.exposeString('borrower'),
      bookId: t.exposeID('bookId'),
    }),
  });
  builder.listField(Loan, {
    shared: false,
    filters: (t) => ({ bookId: t.id({ rule: int64 }) }),
    find: (query, { database }) => database.loan.findMany(query),
  });
  builder.getField(Loan, {
    shared: false,
    find: (query, { database }) => database.loan.findUnique(query),
  });
  const schema = builder.toSchema();
  return createGateway({
    name: isRuled ? 'ruled-loans' : 'loans',
    title: 'Loans',
    description: 'loans',
    version: '1.0.0',
    access: { keyPrefix: 'loans_' },
    prisma: {
      Client: PrismaClient,
      models,
      migrations: new URL('../../examples/library/prisma/migrations/', import.meta.url),
    },
    load: () =>
      Promise.resolve({
        schema,
        rest: { routes: [], basePath: '/v1', info: { title: 'Loans', version: '1.0.0' } },
      }),
  });
}
