import { Decimal, DbNull, JsonNull } from '@prisma/client/runtime/client';
import { isPlainObject } from './arguments.ts';
import type { Column } from './model.ts';

/** The text of a parameter, null, or undefined for a value that Prisma's engine is to judge. */
export type Encoded = string | null | undefined;

/** Writes values of a column, as Prisma's client takes them, for PostgreSQL. */
export function encoderOf(column: Column): (value: unknown) => Encoded {
  const { kind, isRequired } = column;
  const encode = encoderOfValue(column);
  if (kind === 'Json') {
    return (value) => (value === DbNull && !isRequired ? null : encode(value));
  }
  return (value) => (value === null ? (isRequired ? undefined : null) : encode(value));
}

function encoderOfValue({ kind, enumValues }: Column): (value: unknown) => string | undefined {
  switch (kind) {
    case 'BigInt':
      return encodeBigInt;
    case 'Int':
      return (value) =>
        typeof value === 'number' && (value | 0) === value ? String(value) : undefined;
    case 'Float':
      return (value) =>
        typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
    case 'Decimal':
      return (value) => (Decimal.isDecimal(value) && value.isFinite() ? String(value) : undefined);
    case 'String':
      return (value) =>
        typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
          ? value
          : undefined;
    case 'Boolean':
      return (value) => (typeof value === 'boolean' ? String(value) : undefined);
    case 'DateTime':
      return encodeDate;
    case 'Json':
      return (value) => {
        if (value === JsonNull) {
          return 'null';
        }
        return value !== null && isJson(value) ? JSON.stringify(value) : undefined;
      };
    case 'Bytes':
      return (value) =>
        value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : undefined;
    case 'Enum':
    default: {
      const byName = new Map(
        Object.entries(enumValues ?? {}).map(([stored, name]) => [name, stored]),
      );
      return (value) => (typeof value === 'string' ? byName.get(value) : undefined);
    }
  }
}

function encodeBigInt(value: unknown): string | undefined {
  const isExact =
    typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
  return isExact ? String(value) : undefined;
}

/** Characters of a date that has a year of four digits. */
const DATE_LENGTH = '2000-01-01T00:00:00.000Z'.length;

function encodeDate(value: unknown): string | undefined {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) {
    return undefined;
  }
  const text = value.toISOString();
  return text.length === DATE_LENGTH ? text : undefined;
}

/** Whether JSON says all of a value. */
function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed();
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return (
        value === null ||
        (Array.isArray(value)
          ? value.every(isJson)
          : isPlainObject(value) && Object.values(value).every(isJson))
      );
    default:
      return false;
  }
}
