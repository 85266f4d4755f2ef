import { DbNull, Decimal, JsonNull } from '@prisma/client/runtime/client';
import { isPlainObject, membersOf } from './arguments.ts';
import type { Column, Kind } from './model.ts';
import { arrayLiteral } from './sql.ts';

/** How values of a kind are written and read; those of an array, one by one. */
export interface ValueCodec {
  /** The text of a parameter; undefined for a value that Prisma's engine is to judge. */
  readonly encode: (value: unknown) => string | undefined;
  /** What to select of an expression, so that it is exact in JSON, whatever the session's DateStyle. */
  readonly select?: (reference: string) => string;
  /** Makes a value of JSON's, which otherwise is as Prisma's engine would give it. */
  readonly decode?: ((value: unknown) => unknown) | undefined;
}

/** As PostgreSQL takes them. Of anything else its error would be the whole batch's. */
const UUID = /^(?:\{(?:[\da-f]{4}-?){7}[\da-f]{4}\}|(?:[\da-f]{4}-?){7}[\da-f]{4})$/i;

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;

/** Milliseconds of the last Date. PostgreSQL has later ones, and `infinity`. */
export const MAX_TIME = 8.64e15;

const asText = (reference: string): string => `${reference}::text`;

const CODECS: Readonly<Record<Kind, (column: Column) => ValueCodec>> = {
  BigInt: () => ({
    encode: textIf((value) =>
      typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value),
    ),
    select: asText,
    decode: (value) => BigInt(String(value)),
  }),
  Int: ({ pgType }) => ({
    encode: textIf(
      (value) =>
        typeof value === 'number' &&
        (pgType.startsWith('smallint') ? (value << 16) >> 16 : value | 0) === value,
    ),
    decode: Number,
  }),
  Float: () => ({
    encode: textIf(Number.isFinite),
    // JSON has no word for NaN and the infinities: PostgreSQL quotes them.
    decode: Number,
  }),
  Decimal: () => ({
    // Not those of other notations, and none that isn't finite.
    encode: textIf(
      (value) =>
        (Decimal.isDecimal(value) || typeof value === 'number' || typeof value === 'string') &&
        NUMBER.test(String(value)),
    ),
    select: asText,
    decode: (value) => new Decimal(String(value)),
  }),
  String: ({ pgType }) => ({
    encode: textIf(
      (value) =>
        typeof value === 'string' &&
        (pgType.startsWith('uuid')
          ? UUID.test(value)
          : value.isWellFormed() && !value.includes('\0')),
    ),
  }),
  Boolean: () => ({ encode: textIf((value) => typeof value === 'boolean') }),
  DateTime: () => ({
    encode: encodeDate,
    select: (reference) => `floor(extract(epoch FROM ${reference}) * 1000)`,
    decode: (value) => new Date(Math.min(Math.max(Number(value), -MAX_TIME), MAX_TIME)),
  }),
  Json: () => ({ encode: encodeJson }),
  Bytes: () => ({
    encode: (value) =>
      value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : undefined,
    select: (reference) => `encode(${reference}, 'base64')`,
    decode: (value) => new Uint8Array(Buffer.from(String(value), 'base64')),
  }),
  Enum: ({ enumValues = {} }) => {
    const names = new Map(Object.entries(enumValues));
    const stored = new Map([...names].map(([value, name]) => [name, value]));
    const isSame = [...names].every(([value, name]) => value === name);
    return {
      encode: (value) => (typeof value === 'string' ? stored.get(value) : undefined),
      // One that the enum has got since is as it is: an error would be the whole batch's.
      decode: isSame ? undefined : (value) => names.get(String(value)) ?? value,
    };
  },
};

export function codecOf(column: Column): ValueCodec {
  return CODECS[column.kind](column);
}

/** The text of a parameter, null, or undefined for a value that Prisma's engine is to judge. */
export type Encoded = string | null | undefined;

/** Writes values of a column, as Prisma's client takes them, for PostgreSQL. */
export function encoderOf(column: Column): (value: unknown) => Encoded {
  const { kind, isRequired, isList = false } = column;
  const { encode } = codecOf(column);
  if (isList) {
    return (value) => {
      const texts = Array.isArray(value) ? value.map(encode) : [undefined];
      return texts.includes(undefined) ? undefined : arrayLiteral(texts.map(String));
    };
  }
  const absent = kind === 'Json' ? DbNull : null;
  return (value) => (value === absent && !isRequired ? null : encode(value));
}

function textIf(isText: (value: unknown) => boolean): ValueCodec['encode'] {
  return (value) => (isText(value) ? String(value) : undefined);
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

function encodeJson(value: unknown): string | undefined {
  if (value === JsonNull) {
    return 'null';
  }
  return textOfJson(value) ?? (value !== null && isJson(value) ? JSON.stringify(value) : undefined);
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
  return (
    value === null ||
    typeof value === 'boolean' ||
    Number.isFinite(value) ||
    (typeof value === 'string' && value.isWellFormed()) ||
    (Array.isArray(value) && value.every(isJson)) ||
    (isPlainObject(value) && Object.values(value).every(isJson))
  );
}
