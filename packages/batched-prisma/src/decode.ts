import { Decimal } from '@prisma/client/runtime/client';
import type { Column, Kind } from './model.ts';

/** Milliseconds of the last Date. PostgreSQL has later ones, and `infinity`. */
const MAX_TIME = 8.64e15;

type Decode = (value: unknown) => unknown;

/** How the values of a column come as one text. */
interface ColumnList {
  /** The aggregate that makes it of the values that an expression has. */
  readonly select: (reference: string) => string;
  /** The same of a single value, which takes no aggregate. */
  readonly selectOne: (reference: string) => string;
  /** The values, as Prisma's engine would give them. */
  readonly decode: (text: string) => unknown[];
}

/**
 * Integers are joined by commas, null as an empty text, which costs less to write and to read than JSON.
 * So no 64-bit integer is a number of JSON, which would be read as a double.
 */
export function columnList(column: Column): ColumnList {
  const decode = column.isList ? decoderOfList(column) : decoderOfValue(column);
  const listIn =
    TEXTS.has(column.kind) && !column.isList
      ? textsIn
      : column.kind === 'Json'
        ? exactValuesIn
        : valuesIn;
  return (column.kind === 'BigInt' || column.kind === 'Int') && !column.isList
    ? {
        select: (reference) => `string_agg(coalesce(${reference}::text, ''), ',')`,
        selectOne: (reference) => `coalesce(${reference}::text, '')`,
        decode: (text) => decoded(text.split(','), '', decode),
      }
    : {
        select: (reference) => `json_agg(${selected(column, reference)})`,
        selectOne: (reference) => `json_build_array(${selected(column, reference)})`,
        // An array that is null is decoded, too.
        decode: (text) => decoded(listIn(text), column.isList ? undefined : null, decode),
      };
}

/** Decodes a list in place. */
function decoded(list: unknown[], absent: unknown, decode: Decode | undefined): unknown[] {
  if (decode !== undefined) {
    for (let index = 0; index < list.length; index += 1) {
      const value = list[index];
      list[index] = value === absent ? null : decode(value);
    }
  }
  return list;
}

/** What is exact in JSON, whatever the session's DateStyle. */
function selected({ kind, isList }: Pick<Column, 'kind' | 'isList'>, reference: string): string {
  if (isList) {
    const item = selected({ kind }, 'item');
    return `(SELECT json_agg(${item} ORDER BY number) FROM unnest(${reference}) WITH ORDINALITY AS items (item, number))`;
  }
  switch (kind) {
    case 'BigInt':
    case 'Decimal':
      return `${reference}::text`;
    case 'DateTime':
      return `floor(extract(epoch FROM ${reference}) * 1000)`;
    case 'Bytes':
      return `encode(${reference}, 'base64')`;
    default:
      return reference;
  }
}

/** Of an array that is null, too: Prisma's lists never are. */
function decoderOfList(column: Column): Decode {
  const decode = decoderOfValue(column) ?? ((value) => value);
  return (value) =>
    Array.isArray(value) ? value.map((item) => (item === null ? null : decode(item))) : [];
}

/** Undefined for what JSON gives as it is. */
function decoderOfValue({ kind, enumValues }: Column): Decode | undefined {
  switch (kind) {
    case 'BigInt':
      return (value) => BigInt(String(value));
    case 'Int':
      return Number;
    case 'Float':
      // JSON has no word for NaN and the infinities: PostgreSQL quotes them.
      return Number;
    case 'Decimal':
      return (value) => new Decimal(String(value));
    case 'DateTime':
      return (value) => new Date(Math.min(Math.max(Number(value), -MAX_TIME), MAX_TIME));
    case 'Bytes':
      return (value) => new Uint8Array(Buffer.from(String(value), 'base64'));
    case 'Enum': {
      const names = new Map(Object.entries(enumValues ?? {}));
      if ([...names].every(([stored, name]) => stored === name)) {
        return undefined;
      }
      // One that the enum has got since is as it is: an error would be the whole batch's.
      return (value) => names.get(String(value)) ?? value;
    }
    default:
      return undefined;
  }
}

/** Of the kinds whose JSON is a string. */
const TEXTS: ReadonlySet<Kind> = new Set(['String', 'Enum', 'Decimal', 'Bytes']);

/**
 * The strings and nulls of a list that `json_agg` has written. JSON without a backslash has no quotes but those around its
 * strings: it is taken apart at these, since JSON.parse looks each short string up among all that V8 knows.
 */
function textsIn(json: string): unknown[] {
  return json.includes('\\') || json.includes('null')
    ? valuesIn(json)
    : json.slice('["'.length, -'"]'.length).split('", "');
}

function valuesIn(json: string): unknown[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list : [];
}

/** Found in every number that a double could round. */
const INEXACT = /\d{16}|\d[.\de+-]*e/i;

/** As `valuesIn`, but numbers that a double would round are objects that JSON.stringify writes exactly. */
function exactValuesIn(json: string): unknown[] {
  if (!INEXACT.test(json)) {
    return valuesIn(json);
  }
  const list: unknown = JSON.parse(json, (_name, value: unknown, { source = '' } = {}) =>
    typeof value === 'number' && !isSame(value, source) ? JSON.rawJSON(source) : value,
  );
  return Array.isArray(list) ? list : [];
}

function isSame(value: number, source: string): boolean {
  return Number.isFinite(value) && new Decimal(source).equals(value);
}
