import { DbNull, Decimal, JsonNull } from '@prisma/client/runtime/client';
import { isStorableText, toInt64 } from '@store-gateway/ops';
import { isPlainObject } from './calls.ts';
import type { Column } from './model.ts';
import { textOfJson } from './prisma-internals.ts';
import { arrayLiteral } from './statements.ts';

/** Converts a value other than null to PostgreSQL's input syntax. Returns undefined for a value of a different type. */
export type Encode = (value: unknown) => string | undefined;

/** A column type, with the properties that statements, lists and the schema depend on. */
export interface ColumnType {
  /** Prisma's scalar type, or `Enum`. */
  readonly kind: string;
  /** The name of the type in PostgreSQL. */
  readonly pg: string;
  /** The native type attributes that map to the type (`Uuid` for `@db.Uuid`); '' stands for a field without an attribute. */
  readonly native: readonly string[];
  /**
   * Returns the text of a parameter, or undefined to fall back to Prisma's engine: a value that PostgreSQL rejects would fail
   * the whole batch.
   */
  readonly encode: Encode;
  /** Returns SQL that selects the value exactly, regardless of the session's settings. Defaults to the column itself. */
  readonly select?: (reference: string) => string;
  /** Converts the JSON value to what Prisma's client returns. Defaults to the JSON value. */
  readonly decode?: (value: unknown) => unknown;
  /** The representation in JSON. `integer` may need 64 bits; `any` may contain numbers of any length. */
  readonly json: 'integer' | 'number' | 'boolean' | 'string' | 'any';
  /** The GraphQL scalars whose JSON is the database's own text. */
  readonly verbatim: readonly string[];
  /** The GraphQL scalars whose values the type can all store. */
  readonly scalars: readonly string[];
  /** Converts a `@default` constant to PostgreSQL's input syntax. Defaults to the text itself. */
  readonly constant?: (text: string) => string;
  /**
   * How the column is compared with a value that was read, for optimistic locking. By default, the stored value is compared.
   */
  readonly asRead?: {
    /** The type of the comparison. Defaults to the column's type. */
    readonly pg?: string;
    /** Returns SQL for the compared part of the stored value. Defaults to the whole value. */
    readonly select?: (reference: string) => string;
    /** Like the type's own `encode`, but also accepts values that can be read but not written, such as NaN. */
    readonly encode: Encode;
  };
  /** Returns the same text for equal values, or undefined for a value of a different type. Absent if equality isn't exact. */
  readonly compare?: Encode;
  /** The supported list filters. */
  readonly filters: readonly ('equals' | 'in' | 'prefix')[];
  /** Whether rows can be ordered by columns of this type. */
  readonly sorted: boolean;
  /** How cursors encode its values. Absent if cursors don't support it. */
  readonly cursor?: {
    /** Encodes a value without loss. */
    readonly toText: (value: unknown) => string;
    /** Decodes a text to the value for Prisma; undefined for an invalid text. */
    readonly valueOf: (text: string) => unknown;
  };
  /**
   * How ids of this type are represented as text. Absent for types that can't be ids, because PostgreSQL may round their values
   * or strip trailing spaces.
   */
  readonly ids?: {
    /** Normalizes the spellings that PostgreSQL accepts. Defaults to the text itself. */
    readonly canonical?: (text: string) => string;
    /** Returns the id for Prisma, or undefined for an invalid text. Defaults to the text itself. */
    readonly valueOf?: (text: string) => unknown;
  };
  /** The size of an integer. */
  readonly bits?: 16 | 32 | 64;
  /** The longest text, in characters, that fits into an index. */
  readonly maxLength?: number;
  /** For times: whether the type has a time zone, or stores only the day. */
  readonly time?: 'with time zone' | 'without time zone' | 'day';
  /** Whether the type has its own null value, like JSON. */
  readonly hasOwnNull?: true;
}

/** The latest Date, in milliseconds. PostgreSQL has later times, and `infinity`. */
export const MAX_TIME = 8_640_000_000_000_000;

const asText = (reference: string): string => `${reference}::text`;

function textIf(isValue: (value: unknown) => boolean): Encode {
  return (value) => (isValue(value) ? String(value) : undefined);
}

function integerType(
  bits: 16 | 32 | 64,
  type: Pick<ColumnType, 'kind' | 'pg' | 'native' | 'verbatim' | 'scalars'> &
    Pick<ColumnType, 'select' | 'decode'>,
  isValue: (value: unknown) => boolean,
): ColumnType {
  const [smallest, greatest] = [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n];
  const valueOf = (text: string): bigint | number | undefined => {
    const value = toInt64(text);
    const isWithin = value !== undefined && value >= smallest && value <= greatest;
    return !isWithin ? undefined : bits === 64 ? value : Number(value);
  };
  const encode = textIf(isValue);
  return {
    ...type,
    encode,
    json: 'integer',
    compare: encode,
    filters: ['equals', 'in'],
    sorted: true,
    cursor: { toText: String, valueOf },
    ids: { valueOf },
    bits,
  };
}

const bigint = integerType(
  64,
  {
    kind: 'BigInt',
    pg: 'bigint',
    native: ['', 'BigInt'],
    select: asText,
    decode: (value) => BigInt(String(value)),
    verbatim: ['ID'],
    scalars: ['BigInt', 'ID', 'Int'],
  },
  (value) =>
    typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value),
);

const ofInt = {
  kind: 'Int',
  decode: Number,
  verbatim: ['ID', 'Int'],
  scalars: ['ID', 'Int'],
} as const;

const integer = integerType(
  32,
  { ...ofInt, pg: 'integer', native: ['', 'Integer'] },
  (value) => typeof value === 'number' && (value | 0) === value,
);

const smallint = integerType(
  16,
  { ...ofInt, pg: 'smallint', native: ['SmallInt'] },
  (value) => typeof value === 'number' && (value << 16) >> 16 === value,
);

const double: ColumnType = {
  kind: 'Float',
  pg: 'double precision',
  native: ['', 'DoublePrecision'],
  encode: textIf(Number.isFinite),
  // JSON can't represent NaN and the infinities, so PostgreSQL quotes them.
  decode: Number,
  json: 'number',
  verbatim: [],
  scalars: ['Float', 'Int'],
  asRead: { encode: textIf((value) => typeof value === 'number') },
  filters: ['equals', 'in'],
  sorted: true,
  cursor: {
    toText: String,
    valueOf: (text) => {
      const number = Number(text);
      return Number.isFinite(number) && String(number) === text ? number : undefined;
    },
  },
};

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const isNumeric = (value: unknown): boolean =>
  Decimal.isDecimal(value) || typeof value === 'number' || typeof value === 'string';

const numeric: ColumnType = {
  kind: 'Decimal',
  pg: 'numeric',
  native: ['', 'Decimal'],
  // Excludes other notations, and numbers that aren't finite.
  encode: textIf((value) => isNumeric(value) && NUMBER.test(String(value))),
  select: asText,
  decode: (value) => new Decimal(String(value)),
  json: 'string',
  verbatim: [],
  scalars: ['Decimal', 'Float', 'Int'],
  asRead: { encode: textIf(isNumeric) },
  // Decimal.js formats equal numbers identically. JavaScript's own numbers aren't accepted.
  compare: textIf((value) => Decimal.isDecimal(value) && String(value) !== 'NaN'),
  filters: ['equals', 'in'],
  sorted: true,
  cursor: {
    toText: (value) => plainDecimal(value) ?? String(value),
    valueOf: (text) => (DECIMAL.test(text) ? text : undefined),
  },
};

/** Formats a Decimal without an exponent; undefined for anything else. */
function plainDecimal(value: unknown): string | undefined {
  const toFixed: unknown = value instanceof Object ? Reflect.get(value, 'toFixed') : undefined;
  return typeof toFixed === 'function' ? String(Reflect.apply(toFixed, value, [])) : undefined;
}

const encodeText = textIf((value) => typeof value === 'string' && isStorableText(value));

/** The size of PostgreSQL's largest index row, in bytes (INDEX_SIZE_MASK). */
const MAX_LENGTH = 8191;

const indexedText = (value: string): string | undefined =>
  Array.from(value).length <= MAX_LENGTH ? encodeText(value) : undefined;

const ofString = {
  kind: 'String',
  json: 'string',
  verbatim: ['ID', 'String'],
  scalars: ['ID', 'String'],
  compare: encodeText,
  sorted: true,
} as const;

const ofText = {
  ...ofString,
  encode: encodeText,
  filters: ['equals', 'in', 'prefix'],
  cursor: { toText: String, valueOf: indexedText },
  maxLength: MAX_LENGTH,
} as const;

const text: ColumnType = {
  ...ofText,
  pg: 'text',
  native: ['', 'Text'],
  ids: {},
};

const varchar: ColumnType = { ...ofText, pg: 'varchar', native: ['VarChar'] };

/** All UUID formats that PostgreSQL accepts: braces are optional, and so is the hyphen after each group of four digits. */
const ANY_UUID = /^(?:\{(?:[\da-f]{4}-?){7}[\da-f]{4}\}|(?:[\da-f]{4}-?){7}[\da-f]{4})$/i;

const uuid: ColumnType = {
  ...ofString,
  pg: 'uuid',
  native: ['Uuid'],
  encode: textIf((value) => typeof value === 'string' && ANY_UUID.test(value)),
  filters: ['equals', 'in'],
  ids: {
    // The canonical form is in lower case, without hyphens.
    canonical: (id) => id.toLowerCase().replaceAll(/[^\da-f]/g, ''),
  },
};

const encodeBoolean = textIf((value) => typeof value === 'boolean');

const boolean: ColumnType = {
  kind: 'Boolean',
  pg: 'boolean',
  native: ['', 'Boolean'],
  encode: encodeBoolean,
  json: 'boolean',
  verbatim: ['Boolean'],
  scalars: ['Boolean'],
  compare: encodeBoolean,
  // Prisma doesn't support `in` for booleans.
  filters: ['equals'],
  sorted: false,
};

/** The length of a date with a four-digit year. */
const DATE_LENGTH = '2000-01-01T00:00:00.000Z'.length;

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/;

function encodeDate(value: unknown): string | undefined {
  const date = typeof value === 'string' ? dateOf(value) : value;
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) {
    return undefined;
  }
  const encoded = date.toISOString();
  // PostgreSQL has no year 0.
  return encoded.length === DATE_LENGTH && !encoded.startsWith('0000') ? encoded : undefined;
}

/** Parses a date; undefined for a day that its month doesn't have, which JavaScript would roll over into the next month. */
function dateOf(value: string): Date | undefined {
  const day = DATE_TIME.exec(value)?.[1] ?? '';
  const isDay = day !== '' && JSON.stringify(new Date(day)).startsWith(`"${day}`);
  return isDay ? new Date(value) : undefined;
}

const milliseconds = (time: string): string => `floor(extract(epoch FROM ${time}) * 1000)`;

const encodeMilliseconds: Encode = (value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? String(value.getTime()) : undefined;

/**
 * The properties that all times share. Times are compared in UTC, so that the result doesn't depend on the session's time zone,
 * as Citus requires.
 */
const ofTime = {
  kind: 'DateTime',
  encode: encodeDate,
  select: milliseconds,
  decode: (value) => new Date(Math.min(Math.max(Number(value), -MAX_TIME), MAX_TIME)),
  json: 'number',
  verbatim: [],
  scalars: ['Date', 'DateTime'],
  constant: (value) => new Date(value).toISOString(),
  asRead: {
    pg: 'numeric',
    select: (stored) => `CASE WHEN ${stored} IS NOT NULL THEN
        least(greatest(${milliseconds(stored)}::numeric, -${MAX_TIME}), ${MAX_TIME}) END`,
    encode: encodeMilliseconds,
  },
  compare: encodeMilliseconds,
  filters: ['equals', 'in'],
  sorted: true,
  cursor: {
    toText: (value) => (value instanceof Date ? value.toISOString() : String(value)),
    valueOf: (value) => {
      const moment = new Date(value);
      const isSame = !Number.isNaN(moment.getTime()) && moment.toISOString() === value;
      return isSame ? moment : undefined;
    },
  },
} satisfies Omit<ColumnType, 'pg' | 'native' | 'time'>;

const timestamp: ColumnType = {
  ...ofTime,
  pg: 'timestamp',
  native: ['', 'Timestamp'],
  time: 'without time zone',
};
const timestamptz: ColumnType = {
  ...ofTime,
  pg: 'timestamptz',
  native: ['Timestamptz'],
  time: 'with time zone',
};
const date: ColumnType = { ...ofTime, pg: 'date', native: ['Date'], time: 'day' };

const encodeJson: Encode = (value) =>
  value === JsonNull
    ? 'null'
    : (textOfJson(value) ?? (value !== null && isJson(value) ? JSON.stringify(value) : undefined));

const jsonb: ColumnType = {
  kind: 'Json',
  pg: 'jsonb',
  native: ['', 'JsonB'],
  encode: encodeJson,
  json: 'any',
  verbatim: [],
  scalars: ['Json'],
  asRead: {
    pg: 'jsonb',
    // A null column is read as JSON null.
    select: (stored) => `coalesce(${stored}::jsonb, 'null')`,
    encode: encodeJson,
  },
  // Prisma's conditions compare JSON with an object of operators, not with a value.
  filters: [],
  sorted: false,
  hasOwnNull: true,
};

/** Whether JSON can represent a value without loss. */
function isJson(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'boolean' ||
    Number.isFinite(value) ||
    (typeof value === 'string' && value.isWellFormed()) ||
    // An empty slot of an array counts as undefined, which JSON can't represent.
    (Array.isArray(value) && !value.includes(undefined) && value.every(isJson)) ||
    (isPlainObject(value) &&
      Object.entries(value).every(([name, member]) => name.isWellFormed() && isJson(member)))
  );
}

const bytea: ColumnType = {
  kind: 'Bytes',
  pg: 'bytea',
  native: ['', 'ByteA'],
  encode: (value) =>
    value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : undefined,
  select: (reference) => `encode(${reference}, 'base64')`,
  decode: (value) => new Uint8Array(Buffer.from(String(value), 'base64')),
  json: 'string',
  verbatim: [],
  scalars: ['Bytes'],
  constant: (base64) => `\\x${Buffer.from(base64, 'base64').toString('hex')}`,
  filters: ['equals', 'in'],
  sorted: false,
};

/**
 * Returns the type of an enum.
 *
 * @param values maps the enum's values in the database to their names in the client
 */
export function enumType(pg: string, values: Readonly<Record<string, string>>): ColumnType {
  const names = new Map(Object.entries(values));
  const stored = new Map([...names].map(([value, name]) => [name, value]));
  const isSame = [...names].every(([value, name]) => value === name);
  const encode: Encode = (value) => (typeof value === 'string' ? stored.get(value) : undefined);
  return {
    kind: 'Enum',
    pg,
    native: [],
    encode,
    // A value that was added to the enum later is returned unchanged: an error would fail the whole batch.
    ...(!isSame && { decode: (value) => names.get(String(value)) ?? value }),
    json: 'string',
    verbatim: [],
    scalars: [],
    constant: (name) => stored.get(name) ?? name,
    asRead: { encode: (value) => encode(value) ?? encodeText(value) },
    compare: encodeText,
    filters: ['equals', 'in'],
    sorted: false,
  };
}

/** All types except enums. */
const TYPES: readonly ColumnType[] = [
  bigint,
  integer,
  smallint,
  double,
  numeric,
  text,
  varchar,
  uuid,
  boolean,
  timestamp,
  timestamptz,
  date,
  jsonb,
  { ...jsonb, pg: 'json', native: ['Json'] },
  bytea,
];

const BY_NAME = new Map(TYPES.map((type) => [type.pg, type]));

/** How a column is stored. */
type Stored = Pick<Column, 'pgType' | 'enumValues'>;

const known = new WeakMap<Stored, ColumnType>();

/**
 * Returns the type of a column or, for an array, of its items.
 *
 * @throws TypeError for a type that statements don't support; the generator omits columns of such types
 */
export function typeOf(column: Stored): ColumnType {
  let type = known.get(column);
  if (type === undefined) {
    type = findType(column);
    known.set(column, type);
  }
  return type;
}

function findType({ pgType, enumValues }: Stored): ColumnType {
  const name = pgType.replace('[]', '');
  const type = enumValues === undefined ? BY_NAME.get(name) : enumType(name, enumValues);
  if (type === undefined) {
    throw new TypeError(`batched statements don't support columns of type ${name}`);
  }
  return type;
}

/**
 * Returns the database type of a Prisma schema's field; undefined for an enum, or if no statement supports the type.
 *
 * @param scalar Prisma's type
 * @param native the name of the native type attribute, such as `Uuid` for `@db.Uuid`
 */
export function typeOfScalar(scalar: string, native = ''): ColumnType | undefined {
  return TYPES.find((type) => type.kind === scalar && type.native.includes(native));
}

/** Whether a Prisma type can store every value of a GraphQL scalar. A store's own scalars are not checked. */
export function storesScalar(kind: string, scalar: string): boolean {
  const types = TYPES.filter(({ scalars }) => scalars.includes(scalar));
  return types.length === 0 || types.some((type) => type.kind === kind);
}

/** The text of a parameter, null, or undefined to fall back to Prisma's engine. */
export type Encoded = string | null | undefined;

/** Returns a function that converts a column's values from Prisma's representation to PostgreSQL's. */
export function encoderOf(column: Column): (value: unknown) => Encoded {
  const { isRequired, isList = false } = column;
  const { encode, hasOwnNull = false } = typeOf(column);
  if (isList) {
    // Prisma's lists don't accept JsonNull.
    return arrayEncoder((item) => (item === JsonNull ? undefined : encode(item)));
  }
  const absent = hasOwnNull ? DbNull : null;
  return (value) => (value === absent && !isRequired ? null : encode(value));
}

/** Returns the encoder for arrays, given the encoder for their items. */
export function arrayEncoder(encode: Encode): Encode {
  return (value) => {
    const texts = Array.isArray(value) ? value.map(encode) : [undefined];
    return texts.includes(undefined) ? undefined : arrayLiteral(texts.map(String));
  };
}

/** Returns a function that normalizes keys, so that equal keys have equal texts. */
export function canonicalOf(column: Column): (text: string) => string {
  return typeOf(column).ids?.canonical ?? String;
}
