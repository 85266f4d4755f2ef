import { AnyNull, JsonNull } from '@prisma/client/runtime/client';
import { type Arguments, hasOnly, membersOf, onlyMember } from './calls.ts';
import { arrayEncoder, type Encoded, encoderOf, typeOf } from './column-types.ts';
import type { Column, Model, Order, Row } from './model.ts';
import { arrayLiteral, inUtc } from './statements.ts';

/**
 * Whether times with a time zone are first converted to UTC, so that the result doesn't depend on the session's time zone, as
 * Citus requires.
 */
type Times = 'as they are' | 'in UTC';

/** How a column is compared with a value; null equals null. */
export interface Condition {
  /** Identifies the condition among a model's conditions. */
  readonly name: string;
  readonly column: Column;
  /** The value's type in PostgreSQL, with `[]` for an array. */
  readonly pgType: string;
  readonly encode: (value: unknown) => Encoded;
  /** Returns SQL for the compared part of the column, given a reference to it. */
  readonly compared: (reference: string, times?: Times) => string;
}

/**
 * A column that can be compared with values in the same way as in Prisma's engine. JSON and array columns can't be, because
 * Prisma's conditions on them are objects, not values.
 */
interface ComparedColumn extends Condition {
  /** Whether rows can be ordered by it: it is the id, or it is never null and a cursor contains its exact value. */
  readonly isSorted: boolean;
}

/** A column that rows are ordered by, and the direction. */
export type SortedField = ComparedColumn & { readonly field: string; readonly order: Order };

/** Compared columns by field. */
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

/**
 * Returns how a column is compared with a value that was read: the two are equal if reading the column again would return that
 * value.
 */
export function sameAsRead(column: Column): Condition {
  const { column: name, pgType, isList = false } = column;
  const { asRead: compared, encode: encodeValue, hasOwnNull = false } = typeOf(column);
  const { pg, encode = encodeValue } = compared ?? {};
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
        ? // A null array is read as an empty one.
          `ARRAY(SELECT ${decodedExpression(column, 'item', times)} FROM unnest(${stored}) WITH ORDINALITY AS items (item, number) ORDER BY number)`
        : decodedExpression(column, stored, times),
  };
}

function decodedExpression(column: Column, stored: string, times?: Times): string {
  const { asRead: compared, time } = typeOf(column);
  const reference = times === 'in UTC' && time === 'with time zone' ? inUtc(stored) : stored;
  return compared?.select?.(reference) ?? stored;
}

/** The rows that the conditions of `asRead` were made from. */
const rowsRead = new WeakMap<object, Row>();

/**
 * Returns the condition that no column of a row has changed since it was read, for the `where` of an update or a delete:
 * `{ id, ...asRead(model, row) }`. Columns that the row lacks aren't compared.
 */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- so that it is assignable to any model's conditions
export function asRead(model: Model, row: Row): { AND: Record<never, never>[] } {
  const conditions = model.columns
    .filter(({ field }) => row[field] !== undefined)
    .map((column) => conditionOf(column, row[column.field]));
  rowsRead.set(conditions, row);
  return { AND: conditions };
}

/** Returns the row that a condition of `asRead` was made from. */
export function rowOf(condition: unknown): Row | undefined {
  return condition instanceof Object ? rowsRead.get(condition) : undefined;
}

/** Returns the condition for Prisma's engine, which handles calls in transactions. */
function conditionOf(column: Column, value: unknown): Record<string, unknown> {
  const { field, isList, isRequired, isFiner } = column;
  if (Array.isArray(value) && value.length === 0 && isList) {
    // Prisma reads a null array as an empty one.
    return { OR: [{ [field]: { equals: null } }, { [field]: { isEmpty: true } }] };
  }
  if (isList) {
    return { [field]: { equals: value } };
  }
  if (typeOf(column).hasOwnNull === true) {
    return { [field]: { equals: value ?? (isRequired ? JsonNull : AnyNull) } };
  }
  if (isFiner && value instanceof Date) {
    return { [field]: { gte: value, lt: new Date(value.getTime() + 1) } };
  }
  return { [field]: value };
}

/** The value or values that a column may equal. */
export interface Equal {
  readonly column: Column;
  /** The text of the value, or of an array of the values. */
  readonly value: string;
  readonly size: number;
}

/**
 * Returns the values that a Prisma condition allows for a column: one value, or those `in` a set; undefined for any other
 * condition.
 */
function equalTo(condition: unknown, { column, encode }: ComparedColumn): Equal | undefined {
  if (membersOf(condition) === undefined) {
    const value = encode(condition);
    return value == null ? undefined : { column, value, size: 1 };
  }
  const some = onlyMember(condition, 'in');
  if (!Array.isArray(some) || !typeOf(column).filters.includes('in')) {
    return undefined;
  }
  const values: string[] = [];
  for (const each of new Set(some.map(encode))) {
    if (each == null) {
      return undefined;
    }
    values.push(each);
  }
  const [value] = values;
  return value === undefined
    ? undefined
    : { column, value: values.length === 1 ? value : arrayLiteral(values), size: values.length };
}

/**
 * Returns the values that conditions compare columns with; undefined if one of the conditions isn't an equality.
 *
 * @param except the members to skip
 */
export function equalsOf(
  conditions: Arguments,
  columns: ComparedColumns,
  except: readonly string[],
): readonly Equal[] | undefined {
  const equals: Equal[] = [];
  for (const field in conditions) {
    if (except.includes(field)) {
      continue;
    }
    const column = columns.get(field);
    const equal = column && equalTo(conditions[field], column);
    if (equal === undefined) {
      return undefined;
    }
    equals.push(equal);
  }
  return equals;
}

export type Comparison = '<' | '<=' | '>' | '>=';

/** The bounds that a column is compared with. */
export interface Range {
  readonly bounds: readonly (readonly [comparison: Comparison, value: string])[];
  /** Whether the bounds represent a prefix. They match the same rows as the prefix only if texts are ordered by their bytes. */
  readonly isPrefix: boolean;
}

const COMPARISONS = [
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
] as const;
const MEMBERS: ReadonlySet<string> = new Set([...COMPARISONS.map(([name]) => name), 'startsWith']);

/** Matches a LIKE pattern without wildcards. Prisma's engine doesn't escape wildcards in a prefix. */
const LITERAL = /^(?:[^\\%_]|\\.)*$/su;

/** Returns the range that a Prisma condition allows, such as a prefix; undefined for any other condition. */
export function rangeOf(condition: unknown, { column, encode }: ComparedColumn): Range | undefined {
  const members = membersOf(condition);
  if (members === undefined || !hasOnly(members, MEMBERS)) {
    return undefined;
  }
  const bounds: [Comparison, string][] = [];
  for (const [name, comparison] of COMPARISONS) {
    const given = members[name];
    if (given !== undefined) {
      const value = encode(given);
      if (value == null) {
        return undefined;
      }
      bounds.push([comparison, value]);
    }
  }
  const { startsWith } = members;
  if (startsWith === undefined) {
    return { bounds, isPrefix: false };
  }
  const hasPrefixes = typeOf(column).filters.includes('prefix');
  if (typeof startsWith !== 'string' || !hasPrefixes || !LITERAL.test(startsWith)) {
    return undefined;
  }
  const prefix = encode(startsWith.replaceAll(/\\(.)/gsu, '$1'));
  if (prefix == null) {
    return undefined;
  }
  const end = nextPrefix(prefix);
  bounds.push(['>=', prefix]);
  if (end !== undefined) {
    bounds.push(['<', end]);
  }
  return { bounds, isPrefix: true };
}

const LAST = '\u{10ffff}';
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/**
 * Returns the smallest text that sorts after every text with the prefix, in UTF-8 byte order, which is also code point order;
 * undefined if there is none.
 */
function nextPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  const place = characters.findLastIndex((character) => character !== LAST);
  const last = characters[place]?.codePointAt(0);
  const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : (last ?? 0) + 1;
  return last === undefined
    ? undefined
    : characters.slice(0, place).join('') + String.fromCodePoint(next);
}

/** A column that the rows are ordered by. */
interface Ordered {
  readonly field: string;
  readonly order: Order;
}

/** A position in an order: the values of the order's columns. */
type Place = readonly unknown[];

/** The beginning and the end of a page. Both are exclusive, and need not be existing rows. */
interface Places {
  readonly after: Place | undefined;
  readonly until: Place | undefined;
}

/** A page's beginning and end as statement parameters. A missing position has no values. */
export interface Keysets {
  readonly after: readonly string[];
  readonly until: readonly string[];
}

const NO_KEYSETS: Keysets = { after: [], until: [] };

/**
 * The positions that the conditions of `rowsBetween` were made from. Statements compare rows with a whole position, whereas
 * Prisma's engine compares them column by column.
 */
const placesOf = new WeakMap<object, Places & { readonly columns: readonly Ordered[] }>();

/**
 * Returns Prisma's conditions for the rows between two positions in an order; no conditions if both positions are missing.
 * Statements recognize the conditions by the identity of the array.
 *
 * @param columns the columns of the order in which the rows are read
 */
export function rowsBetween(
  columns: readonly Ordered[],
  { after, until }: Places,
): { readonly AND?: object[] } {
  if (after === undefined && until === undefined) {
    return {};
  }
  const conditions = [
    ...(after === undefined ? [] : [behind(after, columns, 'asc')]),
    ...(until === undefined ? [] : [behind(until, columns, 'desc')]),
  ];
  placesOf.set(conditions, { columns, after, until });
  return { AND: conditions };
}

/**
 * Returns the condition that a row comes after a position in an order, or before it with `desc`: the first value that differs
 * comes after the position's value, or before it.
 */
function behind(place: Place, columns: readonly Ordered[], onwards: Order): object {
  return {
    OR: columns.map(({ field, order }, index) => ({
      ...Object.fromEntries(columns.slice(0, index).map((same, at) => [same.field, place[at]])),
      [field]: { [order === onwards ? 'gt' : 'lt']: place[index] },
    })),
  };
}

/** Returns the page's beginning and end from its `where`; undefined if its OR or AND contains other conditions. */
export function keysetsOf(
  { OR, AND = [] }: Arguments,
  sorted: readonly SortedField[],
): Keysets | undefined {
  if (OR !== undefined || !Array.isArray(AND)) {
    return undefined;
  }
  const places = placesOf.get(AND);
  if (places === undefined) {
    return AND.length === 0 ? NO_KEYSETS : undefined;
  }
  const isSame = (field: Ordered | undefined, at: number): boolean =>
    field?.field === sorted[at]?.field && field?.order === sorted[at]?.order;
  const after = textsOf(places.after, sorted);
  const until = textsOf(places.until, sorted);
  return places.columns.length === sorted.length && places.columns.every(isSame) && after && until
    ? { after, until }
    : undefined;
}

/**
 * Encodes a position's values for the database; undefined if there are too many values, or if one isn't valid for its column.
 */
function textsOf(place: Place = [], sorted: readonly SortedField[]): readonly string[] | undefined {
  const texts = place.flatMap((value, at) => sorted[at]?.encode(value) ?? []);
  return texts.length === place.length ? texts : undefined;
}
