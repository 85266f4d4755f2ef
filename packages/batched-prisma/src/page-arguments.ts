import { membersOf, onlyMember, type Arguments } from './arguments.ts';
import type { Page } from './find-pages.ts';
import { firstId } from './sql.ts';
import type { Table } from './table.ts';

const MAX_LIMIT = 2 ** 31 - 1;

/** The page that `where`, `orderBy` and `take` ask for; undefined if it isn't one in an order of ids, read off an index. */
export function pageOf(
  { where = {}, orderBy, take }: Arguments,
  { model, filters, encodeId }: Table,
): Page | undefined {
  const { id } = model;
  const ordered: unknown = Array.isArray(orderBy) && orderBy.length === 1 ? orderBy[0] : orderBy;
  const order = onlyMember(ordered, id);
  const conditions = membersOf(where);
  const isPage =
    conditions !== undefined &&
    (order === 'asc' || order === 'desc') &&
    typeof take === 'number' &&
    Number.isInteger(take) &&
    take > 0 &&
    take <= MAX_LIMIT;
  if (!isPage) {
    return undefined;
  }
  let after: string | undefined;
  let filter: Page['filter'];
  for (const name in conditions) {
    if (name === id) {
      after = encodeId(onlyMember(conditions[name], order === 'asc' ? 'gt' : 'lt')) ?? undefined;
      if (after === undefined) {
        return undefined;
      }
    } else {
      const [index, encode] = filters.get(name) ?? [];
      const value = encode?.(conditions[name]) ?? undefined;
      if (index === undefined || value === undefined || filter !== undefined) {
        return undefined;
      }
      filter = [index, value];
    }
  }
  if (order === 'desc' && after === undefined && firstId(model, order) === undefined) {
    return undefined;
  }
  return { filter, order, after, limit: take };
}
