import { arrayEncoder, encoderOf, typeOf, type Encoded } from './column-types.ts';
import type { Column, Model, Order } from './model.ts';
import { inUtc } from './sql.ts';

/** Whether times with a time zone are those of UTC first: then nothing depends on the session, as Citus wants it. */
type Times = 'as they are' | 'in UTC';

/** How a column is compared with a value, null being equal to null. */
export interface Condition {
  /** Names it among the conditions of a model. */
  readonly name: string;
  readonly column: Column;
  /** The value's; of an array with `[]`. */
  readonly pgType: string;
  readonly encode: (value: unknown) => Encoded;
  /** What of the column is compared, by a reference to it. */
  readonly compared: (reference: string, times?: Times) => string;
}

/** A column that is compared with values as Prisma's engine does it. A condition on JSON or an array is an object, and no value. */
export interface ComparedColumn extends Condition {
  /** Whether rows can be put in its order: it is the id, or a cursor has all of its value. */
  readonly isSorted: boolean;
}

/** A column that rows are ordered by, in a direction. */
export type SortedField = ComparedColumn & { readonly field: string; readonly order: Order };

/** By their fields. */
export type ComparedColumns = ReadonlyMap<string, ComparedColumn>;

export function comparedColumns({ columns, id }: Model): ComparedColumns {
  const compared = new Map<string, ComparedColumn>();
  for (const column of columns) {
    const { field, column: name, pgType, isList, isRequired, isFiner } = column;
    const { filters, sorted } = typeOf(column);
    if (isList !== true && filters.includes('equals')) {
      compared.set(field, {
        name: `=${name}`,
        column,
        pgType,
        encode: encoderOf(column),
        compared: (stored) => stored,
        isSorted: field === id || (isRequired && isFiner !== true && sorted),
      });
    }
  }
  return compared;
}

/** Whether a column would be read as the same value again. */
export function sameAsRead(column: Column): Condition {
  const { column: name, pgType, isList = false } = column;
  const { asRead, encode: encodeValue, hasOwnNull = false } = typeOf(column);
  const { pg, encode = encodeValue } = asRead ?? {};
  const encodeItem = (value: unknown): string | undefined =>
    value === null && hasOwnNull ? 'null' : encode(value);
  return {
    name: `~${name}`,
    column,
    pgType: pg === undefined ? pgType : `${pg}${isList ? '[]' : ''}`,
    encode: isList
      ? arrayEncoder(encodeItem)
      : (value) => (value === null && !hasOwnNull ? null : encodeItem(value)),
    compared: (stored, times) =>
      isList
        ? // An array that is null is read as an empty one.
          `ARRAY(SELECT ${asItIsRead(column, 'item', times)} FROM unnest(${stored}) WITH ORDINALITY AS items (item, number) ORDER BY number)`
        : asItIsRead(column, stored, times),
  };
}

function asItIsRead(column: Column, stored: string, times?: Times): string {
  const { asRead, time } = typeOf(column);
  const reference = times === 'in UTC' && time === 'with time zone' ? inUtc(stored) : stored;
  return asRead?.select?.(reference) ?? stored;
}
