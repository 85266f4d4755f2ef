import type { Arguments } from './arguments.ts';
import type { SortedField } from './conditions.ts';
import type { Order } from './model.ts';

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
