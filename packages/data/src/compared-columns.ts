import { encoderOf, type Encoded } from './codecs.ts';
import type { Column, Kind, Model, Order } from './model.ts';

/** A column that pages are filtered by. A condition on JSON or an array is an object, and no value. */
export interface ComparedColumn {
  readonly column: Column;
  readonly encode: (value: unknown) => Encoded;
  /** Whether rows can be put in its order, and a cursor has all of its value. */
  readonly isSorted: boolean;
}

type ComparedColumns = ReadonlyMap<string, ComparedColumn>;

export type SortedField = ComparedColumn & { readonly field: string; readonly order: Order };

const SORTED: ReadonlySet<Kind> = new Set([
  'BigInt',
  'Int',
  'Float',
  'Decimal',
  'String',
  'DateTime',
]);

export function comparedColumns({ columns }: Model): ComparedColumns {
  return new Map(
    columns.filter(isCompared).map((column) => {
      const { field, kind, isRequired, isFiner } = column;
      const isSorted = isRequired && isFiner !== true && SORTED.has(kind);
      return [field, { column, encode: encoderOf(column), isSorted }];
    }),
  );
}

export function isCompared({ kind, isList }: Column): boolean {
  return kind !== 'Json' && isList !== true;
}
