import { encoderOf, typeOf, type Encoded } from './column-types.ts';
import { isCompared } from './compared-columns.ts';
import type { Column } from './model.ts';
import { arrayLiteral, inUtc } from './sql.ts';

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

/** As Prisma's engine compares. Undefined for a column whose condition is an object: it can't be a value. */
export function equality(column: Column): Condition | undefined {
  const { column: name, pgType } = column;
  return isCompared(column)
    ? { name: `=${name}`, column, pgType, encode: encoderOf(column), compared: (stored) => stored }
    : undefined;
}

/** Whether a column would be read as the same value again. */
export function sameAsRead(column: Column): Condition {
  const { column: name, pgType, isList = false } = column;
  const { asRead, encode: encodeValue, hasOwnNull = false } = typeOf(column);
  const { pg, encode = encodeValue } = asRead ?? {};
  if (!isList) {
    return {
      name: `~${name}`,
      column,
      pgType: pg ?? pgType,
      encode: (value) => (value === null ? (hasOwnNull ? 'null' : null) : encode(value)),
      compared: (stored, times) => asItIsRead(column, stored, times),
    };
  }
  return {
    name: `~${name}`,
    column,
    pgType: pg === undefined ? pgType : `${pg}[]`,
    encode: (value) => {
      const texts = Array.isArray(value) ? value.map(encode) : [undefined];
      return texts.includes(undefined) ? undefined : arrayLiteral(texts.map(String));
    },
    // An array that is null is read as an empty one.
    compared: (stored, times) =>
      `ARRAY(SELECT ${asItIsRead(column, 'item', times)} FROM unnest(${stored}) WITH ORDINALITY AS items (item, number) ORDER BY number)`,
  };
}

function asItIsRead(column: Column, stored: string, times?: Times): string {
  const { asRead, time } = typeOf(column);
  const reference = times === 'in UTC' && time === 'with time zone' ? inUtc(stored) : stored;
  return asRead?.select?.(reference) ?? stored;
}
