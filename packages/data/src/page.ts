import { membersOf, onlyMember, type Arguments } from './arguments.ts';
import { canonicalOf } from './column-types.ts';
import type { SortedField } from './conditions.ts';
import { equalsOf, type Equal } from './equal-to.ts';
import { keysetsOf } from './keyset.ts';
import type { Page } from './page-shape.ts';
import { rangeOf, type Range } from './range.ts';
import { columnOf } from './sql.ts';
import type { Table } from './table.ts';

/** Combinations of sets' values: for each of them, PostgreSQL may read as many rows as the page has. */
const MAX_COMBINATIONS = 1000;

const MAX_LIMIT = 2 ** 31 - 1;

/** The members of `where` that say where a page begins and ends. */
const KEYSETS = ['OR', 'AND'];

/** What the conditions compare columns with, in their order. */
interface Filters {
  readonly equal: readonly Equal[];
  readonly range: Range | undefined;
}

/**
 * Returns the page that `where`, `orderBy` and `take` ask for; undefined if no index has its rows together and in its order.
 *
 * @param foreignKey a field whose value is set later
 */
export function pageOf(
  { where = {}, orderBy, take }: Arguments,
  table: Table,
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

/** Whether `take` is a positive integer that PostgreSQL takes for a limit. */
export function isLimit(take: unknown): take is number {
  return typeof take === 'number' && Number.isInteger(take) && take > 0 && take <= MAX_LIMIT;
}

/**
 * Returns a function that makes the page of a relation's rows with a key. If `args` filter by the foreign key as well, the pages of
 * other keys are empty.
 *
 * @param args of the relation
 */
export function pageOfKeyOf(
  args: Arguments,
  table: Table,
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

/** Whether a key is what a condition on it allows, a value or one of a set. */
function keysAmong(
  condition: unknown,
  { comparedColumns, model }: Table,
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

/** The columns of an order that ends with the id; none of any other order. */
function sortedFieldsOf(orderBy: unknown, table: Table): readonly SortedField[] {
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

function sortedFieldOf(order: unknown, { comparedColumns }: Table): SortedField | undefined {
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
  { model, comparedColumns }: Table,
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
