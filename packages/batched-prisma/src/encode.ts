import { Decimal, DbNull, JsonNull } from '@prisma/client/runtime/client';
import { isPlainObject, membersOf } from './arguments.ts';
import type { Column } from './model.ts';
import { arrayLiteral } from './sql.ts';

/** The text of a parameter, null, or undefined for a value that Prisma's engine is to judge. */
export type Encoded = string | null | undefined;

/** Writes values of a column, as Prisma's client takes them, for PostgreSQL. */
export function encoderOf(column: Column): (value: unknown) => Encoded {
  const { kind, isRequired, isList = false } = column;
  const encode = encoderOfValue(column);
  if (isList) {
    return (value) => encodeList(value, encode);
  }
  if (kind === 'Json') {
    return (value) => (value === DbNull && !isRequired ? null : encode(value));
  }
  return (value) => (value === null ? (isRequired ? undefined : null) : encode(value));
}

function encodeList(value: unknown, encode: (value: unknown) => string | undefined): Encoded {
  const texts = Array.isArray(value) ? value.map(encode) : [undefined];
  return texts.includes(undefined) ? undefined : arrayLiteral(texts.map(String));
}

/** As PostgreSQL takes them. Of anything else its error would be the whole batch's. */
const UUID = /^(?:\{(?:[\da-f]{4}-?){7}[\da-f]{4}\}|(?:[\da-f]{4}-?){7}[\da-f]{4})$/i;

function encoderOfValue({
  kind,
  pgType,
  enumValues,
}: Column): (value: unknown) => string | undefined {
  switch (kind) {
    case 'BigInt':
      return encodeBigInt;
    case 'Int':
      return (value) =>
        typeof value === 'number' &&
        (pgType === 'smallint' ? (value << 16) >> 16 : value | 0) === value
          ? String(value)
          : undefined;
    case 'Float':
      return (value) =>
        typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
    case 'Decimal':
      return encodeDecimal;
    case 'String':
      if (pgType === 'uuid') {
        return (value) => (typeof value === 'string' && UUID.test(value) ? value : undefined);
      }
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
        return (
          textOfJson(value) ?? (value !== null && isJson(value) ? JSON.stringify(value) : undefined)
        );
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

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;

function encodeDecimal(value: unknown): string | undefined {
  const isNumber =
    Decimal.isDecimal(value) || typeof value === 'number' || typeof value === 'string';
  // Not those of other notations, and none that isn't finite.
  return isNumber && NUMBER.test(String(value)) ? String(value) : undefined;
}

/** Characters of a date that has a year of four digits. */
const DATE_LENGTH = '2000-01-01T00:00:00.000Z'.length;

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/;

function encodeDate(value: unknown): string | undefined {
  const date = typeof value === 'string' ? dateOf(value) : value;
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) {
    return undefined;
  }
  const text = date.toISOString();
  return text.length === DATE_LENGTH ? text : undefined;
}

/** A text's, unless it has a day that its month hasn't, which JavaScript takes for one of the next month. */
function dateOf(text: string): Date | undefined {
  const day = DATE_TIME.exec(text)?.[1] ?? '';
  const isDay = day !== '' && JSON.stringify(new Date(day)).startsWith(`"${day}`);
  return isDay ? new Date(text) : undefined;
}

/** The text of JSON that is given in the words of Prisma's protocol, which no value has. */
function textOfJson(value: unknown): string | undefined {
  const toJSON: unknown = value instanceof Object ? Reflect.get(value, 'toJSON') : undefined;
  const given = membersOf(
    typeof toJSON === 'function' ? Reflect.apply(toJSON, value, []) : undefined,
  );
  return given?.['$type'] === 'Json' && typeof given['value'] === 'string'
    ? given['value']
    : undefined;
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
