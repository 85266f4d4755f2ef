import { Decimal } from '@prisma/client/runtime/client';
import { codecOf, encoderOf, type Encoded } from './codecs.ts';
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
  const { column: name, kind, pgType, isList } = column;
  return kind === 'Json' || isList
    ? undefined
    : { name: `=${name}`, column, pgType, encode: encoderOf(column), compared: (stored) => stored };
}

/** Whether a column would be read as the same value again. */
export function sameAsRead(column: Column): Condition {
  const { column: name, kind, pgType, isList = false } = column;
  const encode = encoderAsRead(column);
  const itemType = kind === 'DateTime' ? 'numeric' : kind === 'Json' ? 'jsonb' : pgType;
  if (!isList) {
    return {
      name: `~${name}`,
      column,
      pgType: itemType,
      encode: (value) => (value === null && kind !== 'Json' ? null : encode(value)),
      compared: (stored, times) => asItIsRead(column, stored, times),
    };
  }
  return {
    name: `~${name}`,
    column,
    pgType: kind === 'DateTime' || kind === 'Json' ? `${itemType}[]` : pgType,
    encode: (value) => {
      const texts = Array.isArray(value) ? value.map(encode) : [undefined];
      return texts.includes(undefined) ? undefined : arrayLiteral(texts.map(String));
    },
    // An array that is null is read as an empty one.
    compared: (stored, times) =>
      `ARRAY(SELECT ${asItIsRead(column, 'item', times)} FROM unnest(${stored}) WITH ORDINALITY AS items (item, number) ORDER BY number)`,
  };
}

/** Milliseconds of the first and the last Date, as which others are read. */
const MAX_TIME = '8640000000000000';

/** JSON's null is read as a column's, and a time to the millisecond. */
function asItIsRead({ kind, pgType }: Column, stored: string, times?: Times): string {
  const isInZone = times === 'in UTC' && pgType.startsWith('timestamptz');
  switch (kind) {
    case 'Json':
      return `coalesce(${stored}::jsonb, 'null')`;
    case 'DateTime':
      return `CASE WHEN ${stored} IS NOT NULL THEN
        least(greatest(floor(extract(epoch FROM ${isInZone ? inUtc(stored) : stored}) * 1000)::numeric, -${MAX_TIME}), ${MAX_TIME}) END`;
    default:
      return stored;
  }
}

/** Also of what Prisma reads, and wouldn't take: numbers that aren't finite, and values that an enum has got since. */
function encoderAsRead(column: Column): (value: unknown) => string | undefined {
  const { encode } = codecOf(column);
  switch (column.kind) {
    case 'Json':
      return (value) => (value === null && column.isList !== true ? 'null' : encode(value));
    case 'DateTime':
      return (value) => (value instanceof Date ? String(value.getTime()) : undefined);
    case 'Float':
    case 'Decimal':
    case 'Enum':
      return (value) => encode(value) ?? textOf(value);
    default:
      return encode;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'string' || Decimal.isDecimal(value)
    ? String(value)
    : undefined;
}
