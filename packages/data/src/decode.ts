import { Decimal } from '@prisma/client/runtime/client';
import { typeOf } from './column-types.ts';
import type { Column } from './model.ts';
import type { ColumnType } from './types.ts';

/** How the values of a column come as one text. */
export interface ColumnList {
  /** The aggregate that makes it of the values that an expression has. */
  readonly select: (reference: string) => string;
  /** The same of a single value, which takes no aggregate. */
  readonly selectOne: (reference: string) => string;
  /** The values, as Prisma's engine would give them. */
  readonly decode: (text: string) => unknown[];
  /** The value at a place. */
  readonly decodeAt: (text: string, index: number) => unknown;
  /** How many there are. */
  readonly count: (text: string) => number;
}

/**
 * Integers are joined by commas, null as an empty text, which costs less to write and to read than JSON.
 * So no 64-bit integer is a number of JSON, which would be read as a double.
 */
export function columnList(column: Column): ColumnList {
  const { isList = false } = column;
  const { select = (reference: string) => reference, decode, json } = typeOf(column);
  const listIn = json === 'any' ? exactValuesIn : json === 'string' && !isList ? textsIn : valuesIn;
  if (isIntegerList(column)) {
    return {
      select: (reference) => `string_agg(coalesce(${reference}::text, ''), ',')`,
      selectOne: (reference) => `coalesce(${reference}::text, '')`,
      decode: (text) => decoded(text.split(','), '', decode),
      decodeAt: (text, index) => decoded(text.split(',').slice(index, index + 1), '', decode)[0],
      count: countIntegers,
    };
  }
  const value = (reference: string): string =>
    isList
      ? `(SELECT json_agg(${select('item')} ORDER BY number) FROM unnest(${reference}) WITH ORDINALITY AS items (item, number))`
      : select(reference);
  const decodeAll = (text: string): unknown[] =>
    isList
      ? // An array that is null is decoded, too: Prisma's lists never are.
        listIn(text).map((list) => decoded(listOf(list), null, decode))
      : decoded(listIn(text), null, decode);
  return {
    select: (reference) => `json_agg(${value(reference)})`,
    selectOne: (reference) => `json_build_array(${value(reference)})`,
    decode: decodeAll,
    decodeAt: (text, index) => decodeAll(text)[index],
    count: (text) => listIn(text).length,
  };
}

/** Whether a column's values come joined by commas. */
export function isIntegerList(column: Column): boolean {
  return column.isList !== true && typeOf(column).json === 'integer';
}

function countIntegers(text: string): number {
  let count = 1;
  for (let comma = text.indexOf(','); comma >= 0; comma = text.indexOf(',', comma + 1)) {
    count += 1;
  }
  return count;
}

/** Decodes a list in place. */
function decoded(list: unknown[], absent: unknown, decode: ColumnType['decode']): unknown[] {
  if (decode !== undefined) {
    for (let index = 0; index < list.length; index += 1) {
      const value = list[index];
      list[index] = value === absent ? null : decode(value);
    }
  }
  return list;
}

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
  return listOf(JSON.parse(json));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Found in every number that a double could round. */
const INEXACT = /\d{16}|\d[.\de+-]*e/i;

/** As `valuesIn`, but numbers that a double would round are objects that JSON.stringify writes exactly. */
function exactValuesIn(json: string): unknown[] {
  if (!INEXACT.test(json)) {
    return valuesIn(json);
  }
  return listOf(
    JSON.parse(json, (_name, value: unknown, { source = '' } = {}) =>
      typeof value === 'number' && !(Number.isFinite(value) && new Decimal(source).equals(value))
        ? JSON.rawJSON(source)
        : value,
    ),
  );
}
