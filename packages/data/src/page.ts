import { type Arguments, membersOf, onlyMember } from './calls.ts';
import { canonicalOf } from './column-types.ts';
import {
  type ComparedColumns,
  type Comparison,
  type Equal,
  equalsOf,
  type Keysets,
  keysetsOf,
  type Range,
  rangeOf,
  type SortedField,
} from './conditions.ts';
import { type Column, columnOf, leadingFields, type Model, type Order } from './model.ts';
import type { ListedRows } from './rows.ts';

/** Maximum number of combinations of sets' values. For each combination, PostgreSQL may read as many rows as the page has. */
const MAX_COMBINATIONS = 1000;

const MAX_LIMIT = 2 ** 31 - 1;

/** The members of `where` that contain a page's beginning and end. */
const KEYSETS = ['OR', 'AND'];

/** How a table's pages are found. */
export interface PagedTable {
  readonly model: Model;
  readonly comparedColumns: ComparedColumns;
  readonly shapeOf: FindShape;
}

/** Reads pages. Throws NeedsEngineError for a prefix condition on texts that aren't ordered by their bytes. */
export type FindPages = (pages: readonly Page[]) => Promise<readonly ListedRows[]>;

/** The values that columns are compared with, in the order of the conditions. */
interface Filters {
  readonly equal: readonly Equal[];
  readonly range: Range | undefined;
}

/**
 * Returns the page that `where`, `orderBy` and `take` request; undefined if no index stores the page's rows next to each other
 * and in the page's order.
 *
 * @param foreignKey a field whose value is filled in later
 */
export function pageOf(
  { where = {}, orderBy, take }: Arguments,
  table: PagedTable,
  foreignKey?: string,
): Page | undefined {
  const sorted = sortedFieldsOf(orderBy, table);
  const [first] = sorted;
  const conditions = membersOf(where);
  if (first === undefined || conditions === undefined || !isLimit(take)) {
    return undefined;
  }
  const filters = filtersOf(conditions, first, table, foreignKey);
  const keysets = keysetsOf(conditions, sorted);
  if (filters === undefined || keysets === undefined) {
    return undefined;
  }
  const { equal, range } = filters;
  const { after, until } = keysets;
  const read = table.shapeOf({ equal, sorted, range, keysets });
  if (read === undefined) {
    return undefined;
  }
  const values = read.places.map((place) => equal[place]?.value ?? '');
  for (const [, value] of range?.bounds ?? []) {
    values.push(value);
  }
  return {
    shape: read.shape,
    values: after.length + until.length === 0 ? values : values.concat(after, until),
    limit: take,
    prefixed: range?.isPrefix === true ? first.column.column : undefined,
  };
}

/** Whether `take` is a positive integer that PostgreSQL accepts as a limit. */
export function isLimit(take: unknown): take is number {
  return typeof take === 'number' && Number.isInteger(take) && take > 0 && take <= MAX_LIMIT;
}

/**
 * Returns a function that creates the page of the related rows with a given foreign key. If `args` also filter by the foreign
 * key, the pages for all other keys are empty.
 *
 * @param args the relation's arguments
 */
export function pageOfKeyOf(
  args: Arguments,
  table: PagedTable,
  foreignKey: string,
): { readonly pageOf: (key: string) => Page; readonly isPrefixed: boolean } | undefined {
  const page = pageOf(args, table, foreignKey);
  if (page === undefined) {
    return undefined;
  }
  const place = page.shape.equal.findIndex(({ column }) => column.field === foreignKey);
  const isAmong = keysAmong(membersOf(args['where'])?.[foreignKey], table, foreignKey);
  return {
    pageOf: (key) => ({
      ...page,
      values: page.values.with(place, key),
      limit: isAmong(key) ? page.limit : 0,
    }),
    isPrefixed: page.prefixed !== undefined,
  };
}

/** Returns a function that checks whether a key meets a condition, which is a value or a set. */
function keysAmong(
  condition: unknown,
  { comparedColumns, model }: PagedTable,
  foreignKey: string,
): (key: string) => boolean {
  if (condition === undefined) {
    return () => true;
  }
  const encode = comparedColumns.get(foreignKey)?.encode;
  const set = onlyMember(condition, 'in');
  const canonical = canonicalOf(columnOf(model, foreignKey));
  const keys = new Set(
    (Array.isArray(set) ? set : [condition]).map((each: unknown) =>
      canonical(encode?.(each) ?? ''),
    ),
  );
  return (key) => keys.has(canonical(key));
}

/** Returns the columns of an order that ends with the id; none for any other order. */
function sortedFieldsOf(orderBy: unknown, table: PagedTable): readonly SortedField[] {
  const sorted: SortedField[] = [];
  for (const each of Array.isArray(orderBy) ? orderBy : [orderBy]) {
    const column = sortedFieldOf(each, table);
    if (column === undefined) {
      return [];
    }
    sorted.push(column);
  }
  return sorted.at(-1)?.field === table.model.id ? sorted : [];
}

function sortedFieldOf(order: unknown, { comparedColumns }: PagedTable): SortedField | undefined {
  const members = membersOf(order) ?? {};
  const [field = '', ...others] = Object.keys(members);
  const direction = members[field];
  const column = comparedColumns.get(field);
  return others.length === 0 &&
    column?.isSorted === true &&
    (direction === 'asc' || direction === 'desc')
    ? { ...column, field, order: direction }
    : undefined;
}

function filtersOf(
  conditions: Arguments,
  first: SortedField,
  { model, comparedColumns }: PagedTable,
  foreignKey: string | undefined,
): Filters | undefined {
  const range = first.field === foreignKey ? undefined : rangeOf(conditions[first.field], first);
  const given = equalsOf(
    conditions,
    comparedColumns,
    range === undefined ? KEYSETS : [...KEYSETS, first.field],
  );
  const others = given?.filter(({ column }) => column.field !== foreignKey);
  const combinations = others?.reduce((product, { size }) => product * size, 1) ?? 0;
  if (others === undefined || combinations > MAX_COMBINATIONS) {
    return undefined;
  }
  return foreignKey === undefined
    ? { equal: others, range }
    : { equal: [{ column: columnOf(model, foreignKey), value: '', size: 1 }, ...others], range };
}

export interface SortedColumn {
  readonly column: Column;
  readonly order: Order;
}

/** The properties that all pages of a statement share. */
export interface PageShape {
  /** Identifies the shape among a model's shapes. */
  readonly name: string;
  /** Columns that equal a value, or one of a set, in the order of the index that pages are read from. */
  readonly equal: readonly (SortedColumn & { readonly isSet: boolean })[];
  /** The columns that rows are ordered by. The last is the id. */
  readonly sorted: readonly SortedColumn[];
  /** The comparisons of the first sorted column, each with a value. */
  readonly range: readonly Comparison[];
  /** Whether pages begin after a row, and whether they end before one. */
  readonly hasAfter: boolean;
  readonly hasUntil: boolean;
}

/** A page that a statement reads from one index, in the index's order. */
export interface Page {
  readonly shape: PageShape;
  /**
   * The values of the equal columns (a set as an array's text), of the range, and of the rows that the page begins after and
   * ends before.
   */
  readonly values: readonly string[];
  readonly limit: number;
  /**
   * The column with a prefix condition. The condition is a range only if the database orders the column's texts by their bytes.
   */
  readonly prefixed: string | undefined;
}

/** Returns the order of an index in which rows with equal values are together, sorted by the other columns. */
export function indexOrder({ equal, sorted }: PageShape): readonly SortedColumn[] {
  return [...equal, ...sorted.filter(({ column }) => !isEqual(equal, column))];
}

/** Whether a shape's statement depends on `DatabaseOrder`, because several columns may be compared with arrays. */
export function dependsOnOrder({ equal, sorted, hasAfter, hasUntil }: PageShape): boolean {
  return equal.length > 1 || (sorted.length > 1 && (hasAfter || hasUntil));
}

/** Whether a shape's pages are sorted by id alone, with a single value for each equal column. */
export function isPlain({ equal, sorted }: PageShape): boolean {
  return sorted.length === 1 && equal.every(({ isSet }) => !isSet);
}

export function isEqual(equal: PageShape['equal'], column: Column): boolean {
  return equal.some((each) => each.column.field === column.field);
}

/** The conditions and the order that a page was requested with. */
interface Asked {
  readonly equal: readonly Equal[];
  readonly sorted: readonly SortedField[];
  readonly range: Range | undefined;
  readonly keysets: Keysets;
}

interface FoundShape {
  readonly shape: PageShape;
  /** For each equal column of the shape, its index in the requested conditions. */
  readonly places: readonly number[];
}

/** Maximum number of a model's shapes to cache. The number is limited because clients choose filters and orders. */
const MAX_KEPT = 256;

/** Returns the shape of a page; undefined if no index stores the page's rows next to each other and in the page's order. */
export type FindShape = (asked: Asked) => FoundShape | undefined;

/** Returns a function that finds the shapes of a model's pages. */
export function shapeFinder(model: Model): FindShape {
  const kept = new Map<string, FoundShape>();
  return (asked) => {
    const name = nameOf(asked);
    const known = kept.get(name);
    if (known !== undefined) {
      return known;
    }
    const found = findShape(model, asked);
    if (found !== undefined && kept.size < MAX_KEPT) {
      kept.set(name, found);
    }
    return found;
  };
}

function nameOf({ equal, sorted, range, keysets: { after, until } }: Asked): string {
  let name = '';
  for (const { column, size } of equal) {
    name += size > 1 ? `in ${column.field}\n` : `= ${column.field}\n`;
  }
  for (const { field, order } of sorted) {
    name += `by ${field} ${order}\n`;
  }
  for (const [comparison] of range?.bounds ?? []) {
    name += comparison;
  }
  return `${name}${after.length > 0 ? ' after' : ''}${until.length > 0 ? ' until' : ''}`;
}

function findShape(model: Model, asked: Asked): FoundShape | undefined {
  const { equal, sorted, range, keysets } = asked;
  const places = new Map(equal.map(({ column }, place) => [column.field, place]));
  const others = sorted.filter(({ field }) => !places.has(field));
  const leading = leadingFields(model, new Set(places.keys()), others);
  if (leading === undefined) {
    return undefined;
  }
  const found = leading.flatMap(({ field, order }) => {
    const place = places.get(field) ?? -1;
    const known = equal[place];
    return known === undefined ? [] : { known, place, order };
  });
  return {
    shape: {
      // The name is the same for any order of the conditions.
      name: nameOf({ ...asked, equal: found.map(({ known }) => known) }),
      equal: found.map(({ known, order }) => ({
        column: known.column,
        order,
        isSet: known.size > 1,
      })),
      sorted: sorted.map(({ column, order }) => ({ column, order })),
      range: range?.bounds.map(([comparison]) => comparison) ?? [],
      hasAfter: keysets.after.length > 0,
      hasUntil: keysets.until.length > 0,
    },
    places: found.map(({ place }) => place),
  };
}
