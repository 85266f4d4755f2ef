import { MAX_SIZE } from './list-size.ts';
import type { IndexedModel } from './missing-indexes.ts';

/** A page that is always the same but for the row that it belongs to. */
export interface ConstantPage {
  readonly take: number;
  /** The columns that it is filtered by. */
  readonly filters: readonly string[];
}

const MEMBERS = new Set(['orderBy', 'take', 'where']);

/** The page that Prisma's arguments ask for, if it is one in the order of ids, of one value of each column in `where`. */
export function constantPageOf(
  query: unknown,
  { id, columns }: IndexedModel,
): ConstantPage | undefined {
  const given = new Map(Object.entries(typeof query === 'object' && query !== null ? query : {}));
  const [order, ...otherOrders] = Object.entries(objectIn(given.get('orderBy')));
  const take: unknown = given.get('take');
  const where = Object.entries(objectIn(given.get('where')));
  const isPage =
    given.keys().every((name) => MEMBERS.has(name)) &&
    order?.[0] === id &&
    otherOrders.length === 0 &&
    typeof take === 'number' &&
    Number.isInteger(take) &&
    take > 0 &&
    take <= MAX_SIZE &&
    where.every(
      ([name, value]) =>
        name !== id && columns.some(({ field }) => field === name) && Object(value) !== value,
    );
  return isPage ? { take, filters: where.map(([name]) => name) } : undefined;
}

function objectIn(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
