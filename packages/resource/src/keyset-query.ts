import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import type { ColumnFilters } from './column-filters.ts';
import type { ListOrder, OrderedBy, Place } from './list-order.ts';

/** The type of a model's id. */
export type IdOf<Model extends PrismaModelTypes> = Model['Shape'] extends { id: infer Id }
  ? Id
  : unknown;

/** Prisma's arguments for rows in an order, or against it: by `OR` and `AND`, those behind the place of a cursor. */
export interface KeysetQuery<Model extends PrismaModelTypes, Filters> {
  readonly where: ColumnFilters<Model, Filters> & {
    id?: { in?: IdOf<Model>[]; gt?: IdOf<Model>; lt?: IdOf<Model> };
    OR?: Model['Where'][];
    AND?: Model['Where'][];
  };
  readonly orderBy: { readonly id: 'asc' | 'desc' } | Model['OrderBy'][];
  readonly take: number;
  readonly include?: Model['Include'];
  readonly select?: Model['Select'];
}

/** The rows next to a place in an order, or to an end of the list. */
export interface Keyset {
  /** Exclusive; without it, from the first or last row on. */
  readonly from: Place | undefined;
  /** Exclusive, too: where they end. The database compares the values, whose order is that of their columns' collation. */
  readonly to?: Place | undefined;
  readonly isBackward: boolean;
  readonly take: number;
}

export function keysetQuery(
  filters: ColumnFilters<PrismaModelTypes, { id?: object }>,
  { columns }: Pick<ListOrder, 'columns'>,
  { from, to, isBackward, take }: Keyset,
): KeysetQuery<PrismaModelTypes, object> {
  if (columns.length > 1) {
    const walked = isBackward ? columns.map(reversed) : columns;
    const behind = [
      ...(from === undefined ? [] : [isBehind(from, walked)]),
      ...(to === undefined ? [] : [isBehind(to, walked.map(reversed))]),
    ];
    return {
      where: { ...filters, ...(behind.length > 1 ? { AND: behind } : behind[0]) },
      orderBy: walked.map(({ field, order }) => ({ [field]: order })),
      take,
    };
  }
  const [gt, lt] = isBackward ? [to?.[0], from?.[0]] : [from?.[0], to?.[0]];
  return {
    where: {
      ...filters,
      ...((gt != null || lt != null) && {
        id: { ...filters.id, ...(gt != null && { gt }), ...(lt != null && { lt }) },
      }),
    },
    orderBy: { id: isBackward ? 'desc' : 'asc' },
    take,
  };
}

function reversed({ field, order }: OrderedBy): OrderedBy {
  return { field, order: order === 'asc' ? 'desc' : 'asc' };
}

/** Whether a row comes after a place: its first value that isn't the same does. */
function isBehind(place: Place, columns: readonly OrderedBy[]): { readonly OR: object[] } {
  return {
    OR: columns.map(({ field, order }, index) => ({
      ...Object.fromEntries(columns.slice(0, index).map((same, at) => [same.field, place[at]])),
      [field]: { [order === 'asc' ? 'gt' : 'lt']: place[index] },
    })),
  };
}
