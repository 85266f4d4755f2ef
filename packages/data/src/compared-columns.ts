import { encoderOf, typeOf, type Encoded } from './column-types.ts';
import type { Column, Model, Order } from './model.ts';

/** A column that pages are filtered by. A condition on JSON or an array is an object, and no value. */
export interface ComparedColumn {
  readonly column: Column;
  readonly encode: (value: unknown) => Encoded;
  /** Whether rows can be put in its order, and a cursor has all of its value. */
  readonly isSorted: boolean;
}

/** A column that rows are ordered by, in a direction. */
export type SortedField = ComparedColumn & { readonly field: string; readonly order: Order };

export function comparedColumns({ columns }: Model): ReadonlyMap<string, ComparedColumn> {
  return new Map(
    columns.filter(isCompared).map((column) => {
      const { field, isRequired, isFiner } = column;
      const isSorted = isRequired && isFiner !== true && typeOf(column).sorted;
      return [field, { column, encode: encoderOf(column), isSorted }];
    }),
  );
}

/** The columns that rows can be ordered by, by field: always the id, and those that are sorted. */
export function sortedFields(
  model: Model,
  columns: ReadonlyMap<string, ComparedColumn>,
  order: Order,
): ReadonlyMap<string, SortedField> {
  const sorted = new Map<string, SortedField>();
  for (const [field, column] of columns) {
    if (column.isSorted || field === model.id) {
      sorted.set(field, { ...column, field, order });
    }
  }
  return sorted;
}

export function isCompared(column: Column): boolean {
  return column.isList !== true && typeOf(column).filters.includes('equals');
}
