import type { ArgumentRef, SchemaTypes } from '@pothos/core';
import type { GraphQLEnumValueExtensions } from 'graphql';
import { inWords } from '@store-gateway/graphql';
import type { AnyTypes } from './builder-prototype.ts';
import type { IdColumn } from './id-columns.ts';
import type { OrderedBy } from './list-order.ts';
import { orderedColumn, type OrderedColumn } from './ordered-columns.ts';

declare module 'graphql' {
  interface GraphQLEnumValueExtensions {
    /** Of an order: its column. */
    column?: string | undefined;
  }
}

type SequenceColumn = OrderedBy & Pick<OrderedColumn, 'cursor'>;

/** The columns of a sequence such as `['-due', 'title']`, and the id in the direction of the last one. */
export function columnsOf<Types extends SchemaTypes>(
  sequence: readonly string[],
  model: string,
  { valueOf }: IdColumn,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): readonly SequenceColumn[] {
  const columns = sequence.map((written): SequenceColumn => {
    const field = written.replace(/^-/, '');
    const order = written === field ? 'asc' : 'desc';
    const { cursor } = orderedColumn(model, field, builder);
    return { field, order, cursor };
  });
  const { order = 'asc' } = columns.at(-1) ?? {};
  return [...columns, { field: 'id', order, cursor: { toText: String, valueOf } }];
}

export function reversed(columns: readonly SequenceColumn[]): readonly SequenceColumn[] {
  return columns.map((column) => ({ ...column, order: column.order === 'asc' ? 'desc' : 'asc' }));
}

/** What REST calls an order: "-due,title". */
export function nameOf(columns: readonly OrderedBy[]): string {
  return withoutId(columns).map(restNameOf).join();
}

/** The values of the enum that ask for an order: DUE_DESC and TITLE_ASC. */
export function enumValuesOf(columns: readonly OrderedBy[]): readonly string[] {
  return withoutId(columns).map(enumValueOf);
}

type OrderExtensions = Pick<GraphQLEnumValueExtensions, 'restName' | 'column'>;

/** The argument `orderBy`, and the enum of its items. */
export function orderArgument(
  t: PothosSchemaTypes.InputFieldBuilder<AnyTypes, 'Arg'>,
  { name, nouns }: { readonly name: string; readonly nouns: string },
  orders: readonly (readonly OrderedBy[])[],
  builder: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
): ArgumentRef<AnyTypes, readonly string[] | null | undefined> {
  const columns = orders.flatMap(withoutId);
  const values: Record<string, { description: string; extensions: OrderExtensions }> = {};
  for (const column of columns) {
    const direction = column.order === 'asc' ? 'ascending' : 'descending';
    values[enumValueOf(column)] = {
      description: `By \`${column.field}\`, ${direction}.`,
      extensions: { restName: restNameOf(column), column: column.field },
    };
  }
  const sequences = orders.map(enumValuesOf);
  const Order = builder.enumType(`${name}Order`, {
    description: `What ${nouns} can be ordered by.`,
    values,
  });
  return t.field({
    type: [Order],
    extensions: { sequences },
    description: `The order of the ${nouns}: ${inWords(sequences)}. Ids break ties; by default, the order is that of ids.`,
  });
}

function withoutId(columns: readonly OrderedBy[]): readonly OrderedBy[] {
  return columns.slice(0, -1);
}

function restNameOf({ field, order }: OrderedBy): string {
  return order === 'asc' ? field : `-${field}`;
}

function enumValueOf({ field, order }: OrderedBy): string {
  return `${field.replaceAll(/(?<=[a-z\d])[A-Z]/g, '_$&')}_${order}`.toUpperCase();
}
