import type { GraphQLSchema } from 'graphql';
import { decimal, text, type InputRule } from '@store-gateway/graphql';
import { libraryBuilder } from '../../../test/support/library.ts';

/** The rules for a filter, for the items of a list, and for a decimal number. */
export const RULES = { title: text(1, 9), colors: text(1, 9), price: decimal(20, 5) };

/** Loans with a filter, a relation and a day, and fields that return their argument. */
export function loansSchema(
  rules: { title?: InputRule; colors?: InputRule; price?: InputRule } = RULES,
): GraphQLSchema {
  const builder = libraryBuilder();
  builder.prismaObject('Author', { fields: (t) => ({ id: t.exposeID('id') }) });
  const Loan = builder.prismaObject('Loan', {
    resource: { plural: 'loans' },
    fields: (t) => ({
      id: t.exposeID('id'),
      title: t.exposeString('title', { example: 'Emma' }),
      author: t.relation('author'),
      day: t.expose('day', { type: builder.dateType() }),
    }),
  });
  const loans = builder.listField(Loan, {
    filters: (t) => ({ title: t.string(rules.title && { rule: rules.title }) }),
    find: (query, { database }) => database.loan.findMany(query),
  });
  builder.connectionField(loans);
  const Paint = builder.inputType('Paint', {
    fields: (t) => ({
      colors: t.stringList({ required: true, ...(rules.colors && { rule: rules.colors }) }),
    }),
  });
  const Size = builder.enumType('Size', { values: { SMALL: { value: 1 }, LARGE: { value: 2 } } });
  builder.queryType({
    fields: (t) => ({
      sizeInNumbers: t.int({
        args: { size: t.arg({ type: Size, required: true }) },
        resolve: (_root, { size }) => size,
      }),
      sameDate: t.field({
        type: builder.dateType(),
        args: { value: t.arg({ type: builder.dateType(), required: true }) },
        resolve: (_root, { value }) => value,
      }),
      sameDateTime: t.field({
        type: builder.timestampType(),
        args: { value: t.arg({ type: builder.timestampType(), required: true }) },
        resolve: (_root, { value }) => value,
      }),
      sameBigInt: t.field({
        type: builder.bigIntType(),
        args: { value: t.arg({ type: builder.bigIntType(), required: true }) },
        resolve: (_root, { value }) => value,
      }),
      sameBytes: t.field({
        type: builder.bytesType(),
        args: { value: t.arg({ type: builder.bytesType(), required: true }) },
        resolve: (_root, { value }) => value,
      }),
      sameDecimal: t.field({
        type: builder.decimalType(),
        args: {
          value: t.arg({
            type: builder.decimalType(),
            required: true,
            ...(rules.price && { rule: rules.price }),
          }),
        },
        resolve: (_root, { value }) => value,
      }),
      sameFloat: t.float({
        args: { value: t.arg.float({ required: true }) },
        resolve: (_root, { value }) => value,
      }),
      sameJson: t.field({
        type: builder.jsonType(),
        args: { value: t.arg({ type: builder.jsonType(), required: true }) },
        resolve: (_root, { value }) => value,
      }),
      painted: t.stringList({
        args: { paints: t.arg({ type: [Paint], required: true }) },
        resolve: (_root, { paints }) => paints.flatMap(({ colors }) => colors),
      }),
    }),
  });
  return builder.toSchema({ sortSchema: false });
}
