import { encoderOf, typeOf, type Encoded } from './column-types.ts';
import type { Column, Model, Order } from './model.ts';

/** A column that pages are filtered by. A condition on JSON or an array is an object, and no value. */
export interface ComparedColumn {
  readonly column: Column;
  readonly encode: (value: unknown) => Encoded;
  /** Whether rows can be put in its order, and a cursor has all of its value. */
  readonly isSorted: boolean;
}

type ComparedColumns = ReadonlyMap<string, ComparedColumn>;

export type SortedField = ComparedColumn & { readonly field: string; readonly order: Order };

export function comparedColumns({ columns }: Model): ComparedColumns {
  return new Map(
    columns.filter(isCompared).map((column) => {
      const { field, isRequired, isFiner } = column;
      const isSorted = isRequired && isFiner !== true && typeOf(column).sorted;
      return [field, { column, encode: encoderOf(column), isSorted }];
    }),
  );
}

export function isCompared(column: Column): boolean {
  return column.isList !== true && typeOf(column).filters.includes('equals');
}
