import SchemaBuilder from '@pothos/core';
import PrismaPlugin, { type PothosPrismaDatamodel } from '@pothos/plugin-prisma';
import type { GraphQLSchema } from 'graphql';
import { decimal, text, type InputRule } from '@store-gateway/graphql';
import { RESOURCES } from '../src/resource-plugin.ts';
import { field } from './datamodel-field.ts';

interface Customer {
  readonly id: bigint;
}

interface Order {
  readonly id: bigint;
  readonly customer?: Customer;
  readonly color: string;
  readonly due: Date | null;
}

/** What Prisma's generator for Pothos says of a model whose rows these tests don't query. */
export interface Model {
  Select: object;
  OrderBy: object;
  WhereUnique: object;
  Where: object;
  Create: object;
  Update: object;
  ListRelations: never;
}

interface OrderModel extends Model {
  Name: 'Order';
  Shape: Order;
  Include: { customer?: boolean };
  RelationName: 'customer';
  Relations: { customer: { Shape: Customer; Name: 'Customer'; Nullable: false } };
}

interface CustomerModel extends Model {
  Name: 'Customer';
  Shape: Customer;
  Include: never;
  RelationName: never;
  Relations: object;
}

const id = { ...field, type: 'BigInt', name: 'id', isUnique: true, isId: true };
const none = { primaryKey: null, uniqueIndexes: [] };
const datamodel: PothosPrismaDatamodel['datamodel'] = {
  models: {
    Order: {
      fields: [
        id,
        { ...field, type: 'String', name: 'color' },
        { ...field, type: 'DateTime', name: 'due' },
        { ...field, type: 'Customer', kind: 'object', name: 'customer', relationName: 'orders' },
      ],
      ...none,
    },
    Customer: { fields: [id], ...none },
  },
};

/** What resolvers ask the database for. */
export interface Context {
  readonly find: (query: object) => Order[];
}

/** Of what clients send: a filter, the items of a list, and a decimal number. */
export const RULES = { color: text(1, 9), colors: text(1, 9), price: decimal(20, 5) };

export function shopSchema(
  rules: { color?: InputRule; colors?: InputRule; price?: InputRule } = RULES,
): GraphQLSchema {
  const builder = new SchemaBuilder<{
    Context: Context;
    PrismaTypes: { Order: OrderModel; Customer: CustomerModel };
    Scalars: { ID: { Input: string; Output: string | bigint } };
    DefaultFieldNullability: false;
  }>({
    plugins: [PrismaPlugin, RESOURCES],
    defaultFieldNullability: false,
    prisma: { client: { $connect: () => Promise.resolve() }, dmmf: { datamodel } },
  });
  builder.prismaObject('Customer', { fields: (t) => ({ id: t.exposeID('id') }) });
  const OrderType = builder.prismaObject('Order', {
    resource: { plural: 'orders' },
    fields: (t) => ({
      id: t.exposeID('id'),
      color: t.exposeString('color', { example: 'red' }),
      customer: t.relation('customer'),
      due: t.expose('due', { type: builder.dateType(), nullable: true }),
    }),
  });
  const orders = builder.listField(OrderType, {
    filters: (t) => ({ color: t.string(rules.color && { rule: rules.color }) }),
    find: (query, { find }) => Promise.resolve(find(query)),
  });
  builder.connectionField(orders);
  builder.getField(OrderType, {
    find: (query, { find }) => Promise.resolve(find(query)[0] ?? null),
  });
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
      nextDay: t.field({
        type: builder.dateType(),
        args: { day: t.arg({ type: builder.dateType(), required: true }) },
        resolve: (_root, { day }) => new Date(day.getTime() + 86_400_000),
      }),
      sameMoment: t.field({
        type: builder.timestampType(),
        args: { at: t.arg({ type: builder.timestampType(), required: true }) },
        resolve: (_root, { at }) => at,
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
