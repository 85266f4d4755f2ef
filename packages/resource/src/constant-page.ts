import { isJsonObject } from '@store-gateway/ops';
import { MAX_SIZE } from './list-size.ts';
import type { IndexedModel } from './missing-indexes.ts';

/** A page that is always the same except for the row that it belongs to. */
interface ConstantPage {
  readonly take: number;
  /** The columns that it is filtered by. */
  readonly filters: readonly string[];
}

/** The page that Prisma's arguments ask for, if it is one in the order of ids, of one value of each column in `where`. */
export function constantPageOf(
  query: unknown,
  { id, columns }: IndexedModel,
): ConstantPage | undefined {
  const { orderBy, take, where = {}, ...others } = isJsonObject(query) ? query : {};
  const isPage =
    Object.keys(others).length === 0 &&
    isJsonObject(orderBy) &&
    Object.keys(orderBy).join() === id &&
    typeof take === 'number' &&
    Number.isInteger(take) &&
    take > 0 &&
    take <= MAX_SIZE &&
    isJsonObject(where) &&
    Object.entries(where).every(
      ([name, value]) =>
        name !== id && columns.some(({ field }) => field === name) && Object(value) !== value,
    );
  return isPage ? { take, filters: Object.keys(where) } : undefined;
}
