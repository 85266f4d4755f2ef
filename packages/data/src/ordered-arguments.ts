import { membersOf, onlyMember, type Arguments } from './arguments.ts';
import type { SortedField } from './compared-columns.ts';
import { equalTo, type Equal } from './equal-to.ts';
import { keysetsOf } from './keyset.ts';
import { leadingFields } from './indexes.ts';
import { isLimit } from './page-arguments.ts';
import { pageShape, type Comparison, type OrderedPage, type PageShape } from './page-shape.ts';
import { rangeOf, type Range } from './range.ts';
import { canonicalOf } from './column-types.ts';
import { columnOf } from './sql.ts';
import type { Table } from './table.ts';

/** Combinations of sets' values: for each of them, PostgreSQL may read as many rows as the page has. */
const MAX_COMBINATIONS = 1000;

/** The conditions on columns. */
interface Filters {
  /** By the names of their fields. */
  readonly equal: ReadonlyMap<string, Equal>;
  readonly range: Range | undefined;
}

/**
 * The page that `where`, `orderBy` and `take` ask for; undefined if no index has its rows together, and in its order.
 *
 * @param foreignKey a field that equals a value which is yet to come
 */
export function orderedPageOf(
  { where = {}, orderBy, take }: Arguments,
  table: Table,
  foreignKey?: string,
): OrderedPage | undefined {
  const sorted = sortedFieldsOf(orderBy, table);
  const [first] = sorted;
  const conditions = membersOf(where);
  if (first === undefined || conditions === undefined || !isLimit(take)) {
    return undefined;
  }
  const filters = filtersOf(conditions, first, table, foreignKey);
  const keysets = keysetsOf(conditions, sorted);
  const others = sorted.filter(({ field }) => filters?.equal.has(field) !== true);
  const leading = filters && leadingFields(table.model, new Set(filters.equal.keys()), others);
  if (keysets === undefined || leading === undefined) {
    return undefined;
  }
  const equal: PageShape['equal'][number][] = [];
  const values: string[] = [];
  for (const { field, order } of leading) {
    const known = filters?.equal.get(field);
    if (known !== undefined) {
      equal.push({ column: known.column, order, isSet: known.size > 1 });
      values.push(known.value);
    }
  }
  const range: Comparison[] = [];
  for (const [comparison, value] of filters?.range?.bounds ?? []) {
    range.push(comparison);
    values.push(value);
  }
  const { after, until } = keysets;
  return {
    shape: pageShape({
      equal,
      sorted,
      range,
      hasAfter: after.length > 0,
      hasUntil: until.length > 0,
    }),
    values: values.concat(after, until),
    limit: take,
    prefixed: filters?.range?.isPrefix === true ? first.column.column : undefined,
  };
}

/** The page of a relation, of each row that has a key. Where its rows are filtered by the key, too, other keys have none. */
export function orderedPageOfKeyOf(args: Arguments, table: Table, foreignKey: string) {
  const page = orderedPageOf(args, table, foreignKey);
  if (page === undefined) {
    return undefined;
  }
  const place = page.shape.equal.findIndex(({ column }) => column.field === foreignKey);
  const isAmong = keysAmong(membersOf(args['where'])?.[foreignKey], table, foreignKey);
  return {
    pageOf: (key: string): OrderedPage => ({
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
function sortedFieldsOf(orderBy: unknown, { model, comparedColumns }: Table): SortedField[] {
  const sorted: SortedField[] = [];
  const given: unknown[] = Array.isArray(orderBy) ? orderBy : [orderBy];
  for (const each of given) {
    const [field = ''] = Object.keys(membersOf(each) ?? {});
    const order = onlyMember(each, field);
    const column = comparedColumns.get(field);
    const isSorted = column !== undefined && (column.isSorted || field === model.id);
    if (!isSorted || (order !== 'asc' && order !== 'desc')) {
      return [];
    }
    sorted.push({ ...column, field, order });
  }
  return sorted.at(-1)?.field === model.id ? sorted : [];
}

function filtersOf(
  conditions: Arguments,
  first: SortedField,
  { model, comparedColumns }: Table,
  foreignKey: string | undefined,
): Filters | undefined {
  const equal = new Map<string, Equal>();
  if (foreignKey !== undefined) {
    equal.set(foreignKey, { column: columnOf(model, foreignKey), value: '', size: 1 });
  }
  let range: Range | undefined;
  let combinations = 1;
  for (const field in conditions) {
    const condition = conditions[field];
    const ofFirst = field === first.field ? rangeOf(condition, first) : undefined;
    if (ofFirst !== undefined) {
      range = ofFirst;
    } else if (field !== 'OR' && field !== 'AND') {
      const column = comparedColumns.get(field);
      const value = column && equalTo(condition, column);
      const isKey = field === foreignKey;
      combinations *= isKey ? 1 : (value?.size ?? 1);
      if (value === undefined || combinations > MAX_COMBINATIONS) {
        return undefined;
      }
      if (!isKey) {
        equal.set(field, value);
      }
    }
  }
  return { equal, range };
}
