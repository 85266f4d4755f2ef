import { hasOnly, membersOf, onlyMember, type Arguments } from './arguments.ts';
import type { Page } from './find-pages.ts';
import { pageFilterOf } from './page-filters.ts';
import type { Order } from './model.ts';
import { canonicalOf, firstId } from './column-types.ts';
import { columnOf } from './sql.ts';
import type { Table } from './table.ts';

const MAX_LIMIT = 2 ** 31 - 1;
const CURSORS = new Set(['gt', 'lt']);

/** The page that `where`, `orderBy` and `take` ask for; undefined if it isn't one in an order of ids, read off an index. */
export function pageOf(
  { where = {}, orderBy, take }: Arguments,
  table: Table,
  foreignKey?: string,
): Page | undefined {
  const { model } = table;
  const ordered: unknown = Array.isArray(orderBy) && orderBy.length === 1 ? orderBy[0] : orderBy;
  const order = onlyMember(ordered, model.id);
  const conditions = membersOf(where);
  const isOrder = order === 'asc' || order === 'desc';
  if (conditions === undefined || !isOrder || !isLimit(take)) {
    return undefined;
  }
  const cursors = cursorsOf(conditions[model.id], order, table);
  const filtered = cursors && filterOf(conditions, table, foreignKey);
  if (cursors === undefined || filtered === undefined) {
    return undefined;
  }
  const { after, until } = cursors;
  // A literal takes a third of the time of spreads.
  return { filter: filtered.filter, values: filtered.values, order, after, until, limit: take };
}

/**
 * The page of a relation, of each row that has a key: where it begins and ends, and by what else its rows are filtered.
 * Where they are filtered by the key itself, too, other keys have none.
 */
export function pageOfKeyOf(
  args: Arguments,
  table: Table,
  foreignKey: string,
): ((key: string) => Page) | undefined {
  const page = pageOf(args, table, foreignKey);
  if (page === undefined) {
    return undefined;
  }
  const place = page.filter.columns.findIndex(({ field }) => field === foreignKey);
  const canonical = canonicalOf(columnOf(table.model, foreignKey));
  const isGiven = membersOf(args['where'])?.[foreignKey] !== undefined;
  const only = canonical(page.values[place] ?? '');
  return (key) => ({
    ...page,
    values: page.values.with(place, key),
    limit: isGiven && only !== canonical(key) ? 0 : page.limit,
  });
}

export function isLimit(take: unknown): take is number {
  return typeof take === 'number' && Number.isInteger(take) && take > 0 && take <= MAX_LIMIT;
}

/** The ids that a page lies between; undefined if there is another condition on them. */
function cursorsOf(
  condition: unknown,
  order: Order,
  { model, encodeId }: Table,
): Pick<Page, 'after' | 'until'> | undefined {
  const given = condition === undefined ? {} : membersOf(condition);
  if (given === undefined || !hasOnly(given, CURSORS)) {
    return undefined;
  }
  const { gt, lt } = given;
  const [from, to] = order === 'asc' ? [gt, lt] : [lt, gt];
  const after = from === undefined ? undefined : encodeId(from);
  const until = to === undefined ? undefined : encodeId(to);
  const first = from === undefined ? firstId(model, order) : after;
  const isKnown = first !== undefined && (to === undefined || until !== undefined);
  return isKnown ? { after, until } : undefined;
}

/** The conditions on columns other than the id; the value of the foreign key, if there is one, is yet to come. */
function filterOf(
  conditions: Arguments,
  { model, pageFilters }: Table,
  foreignKey: string | undefined,
): Pick<Page, 'filter' | 'values'> | undefined {
  const fields = foreignKey === undefined ? [] : [foreignKey];
  for (const field in conditions) {
    if (field !== model.id && field !== foreignKey) {
      fields.push(field);
    }
  }
  const filter = pageFilterOf(pageFilters, fields);
  if (filter === undefined) {
    return undefined;
  }
  const values: string[] = [];
  for (const [place, { field }] of filter.columns.entries()) {
    const isGiven = field !== foreignKey || field in conditions;
    const value = isGiven ? filter.encoders[place]?.(conditions[field]) : '';
    if (value == null) {
      return undefined;
    }
    values.push(value);
  }
  return { filter, values };
}
