import { AnyNull, JsonNull } from '@prisma/client/runtime/client';
import { type Arguments, hasOnly, membersOf, onlyMember } from './calls.ts';
import { arrayEncoder, type Encoded, encoderOf, typeOf } from './column-types.ts';
import type { Column, Model, Order, Row } from './model.ts';
import { arrayLiteral, inUtc } from './statements.ts';

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
interface ComparedColumn extends Condition {
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
        ? // An array that is null is read as an empty one.
          `ARRAY(SELECT ${asItIsRead(column, 'item', times)} FROM unnest(${stored}) WITH ORDINALITY AS items (item, number) ORDER BY number)`
        : asItIsRead(column, stored, times),
  };
}

function asItIsRead(column: Column, stored: string, times?: Times): string {
  const { asRead: compared, time } = typeOf(column);
  const reference = times === 'in UTC' && time === 'with time zone' ? inUtc(stored) : stored;
  return compared?.select?.(reference) ?? stored;
}

/** The rows that conditions were made of. */
const rowsRead = new WeakMap<object, Row>();

/**
 * The condition that no column of a row has changed since it was read, for the `where` of an update or a delete:
 * `{ id, ...asRead(model, row) }`. Columns that the row hasn't aren't compared.
 */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- is assignable to the conditions of any model
export function asRead(model: Model, row: Row): { AND: Record<never, never>[] } {
  const conditions = model.columns
    .filter(({ field }) => row[field] !== undefined)
    .map((column) => conditionOf(column, row[column.field]));
  rowsRead.set(conditions, row);
  return { AND: conditions };
}

/** The row that such a condition was made of. */
export function rowOf(condition: unknown): Row | undefined {
  return condition instanceof Object ? rowsRead.get(condition) : undefined;
}

/** For Prisma's engine, which answers calls of transactions. */
function conditionOf(column: Column, value: unknown): Record<string, unknown> {
  const { field, isList, isRequired, isFiner } = column;
  if (Array.isArray(value) && value.length === 0 && isList) {
    // Prisma reads an array that is null as an empty one.
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

/** What a column equals. */
export interface Equal {
  readonly column: Column;
  /** A value, or an array of several. */
  readonly value: string;
  readonly size: number;
}

/** What a condition of Prisma says that a column equals: a value, or one `in` a set; undefined if it says anything else. */
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
 * What these conditions compare columns with; undefined if one of them isn't an equality.
 *
 * @param except members that are left out
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

/** What a column is compared with. */
export interface Range {
  readonly bounds: readonly (readonly [comparison: Comparison, value: string])[];
  /** Whether these are the texts with a prefix, if texts are ordered by their bytes. */
  readonly isPrefix: boolean;
}

const COMPARISONS = [
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
] as const;
const MEMBERS: ReadonlySet<string> = new Set([...COMPARISONS.map(([name]) => name), 'startsWith']);

/** A pattern of LIKE without wildcards, which Prisma's engine leaves in. */
const LITERAL = /^(?:[^\\%_]|\\.)*$/su;

/** The range that a condition of Prisma says, with a prefix or without; undefined if it says anything else. */
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

/** The first text behind all that have a prefix, in the order of bytes of UTF-8, which is that of characters. */
function nextPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  const place = characters.findLastIndex((character) => character !== LAST);
  const last = characters[place]?.codePointAt(0);
  const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : (last ?? 0) + 1;
  return last === undefined
    ? undefined
    : characters.slice(0, place).join('') + String.fromCodePoint(next);
}

/** A column that rows are ordered by. */
interface Ordered {
  readonly field: string;
  readonly order: Order;
}

/** A place in an order: the values of its columns. */
type Place = readonly unknown[];

/** Where a page begins and ends, both exclusive, whether or not a row is there. */
interface Places {
  readonly after: Place | undefined;
  readonly until: Place | undefined;
}

/** The same, as statements compare rows with it: no values for a place that isn't given. */
export interface Keysets {
  readonly after: readonly string[];
  readonly until: readonly string[];
}

const NO_KEYSETS: Keysets = { after: [], until: [] };

/** Of the conditions that `rowsBetween` has made: statements compare rows with a place as a whole, Prisma's engine column by column. */
const placesOf = new WeakMap<object, Places & { readonly columns: readonly Ordered[] }>();

/**
 * Prisma's conditions for the rows between two places of an order, none without places. Statements know them by the array.
 *
 * @param columns of the order that the rows are read in
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

/** A row comes behind a place if its first value that isn't the same does. */
function behind(place: Place, columns: readonly Ordered[], onwards: Order): object {
  return {
    OR: columns.map(({ field, order }, index) => ({
      ...Object.fromEntries(columns.slice(0, index).map((same, at) => [same.field, place[at]])),
      [field]: { [order === onwards ? 'gt' : 'lt']: place[index] },
    })),
  };
}

/** Where the page of a `where` begins and ends; undefined if it has conditions of another kind. */
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

/** The values of a place as the database reads them; undefined if it has another number of them, or one that is none of its column. */
function textsOf(place: Place = [], sorted: readonly SortedField[]): readonly string[] | undefined {
  const texts = place.flatMap((value, at) => sorted[at]?.encode(value) ?? []);
  return texts.length === place.length ? texts : undefined;
}
