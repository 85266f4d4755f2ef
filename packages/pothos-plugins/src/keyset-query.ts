import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import type { ColumnFilters } from './column-filters.ts';

/** The type of a model's id. */
export type IdOf<Model extends PrismaModelTypes> = Model['Shape'] extends { id: infer Id }
  ? Id
  : unknown;

/** Prisma's arguments for rows in the order of their ids, or against it. */
export interface KeysetQuery<Model extends PrismaModelTypes, Filters> {
  readonly where: ColumnFilters<Model, Filters> & {
    id?: { in?: IdOf<Model>[]; gt?: IdOf<Model>; lt?: IdOf<Model> };
  };
  readonly orderBy: { readonly id: 'asc' | 'desc' };
  readonly take: number;
  readonly include?: Model['Include'];
  readonly select?: Model['Select'];
}

/** The rows next to an id, or to an end of the list. */
export interface Keyset {
  /** Exclusive; without it, from the first or last row on. As Prisma takes ids. */
  readonly from: unknown;
  /** Exclusive, too: where they end. The database compares ids, whose order is that of their column's collation. */
  readonly to?: unknown;
  readonly isBackward: boolean;
  readonly take: number;
}

export function keysetQuery(
  filters: ColumnFilters<PrismaModelTypes, { id?: object }>,
  { from, to, isBackward, take }: Keyset,
): KeysetQuery<PrismaModelTypes, object> {
  const [gt, lt] = isBackward ? [to, from] : [from, to];
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
