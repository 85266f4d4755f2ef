import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import type { ColumnFilters } from './column-filters.ts';

/** Prisma's arguments for rows in the order of their ids, or against it. */
export interface KeysetQuery<Model extends PrismaModelTypes, Filters> {
  readonly where: ColumnFilters<Model, Filters> & {
    id?: { gt: bigint } | { lt: bigint };
  };
  readonly orderBy: { readonly id: 'asc' | 'desc' };
  readonly take: number;
  readonly include?: Model['Include'];
  readonly select?: Model['Select'];
}

/** The rows next to an id, or to an end of the list. */
export interface Keyset {
  /** Exclusive; without it, from the first or last row on. */
  readonly from: string | bigint | null | undefined;
  readonly isBackward: boolean;
  readonly take: number;
}

export function keysetQuery(
  filters: ColumnFilters<PrismaModelTypes, object>,
  { from, isBackward, take }: Keyset,
): KeysetQuery<PrismaModelTypes, object> {
  return {
    where: {
      ...filters,
      ...(from == null ? {} : { id: isBackward ? { lt: BigInt(from) } : { gt: BigInt(from) } }),
    },
    orderBy: { id: isBackward ? 'desc' : 'asc' },
    take,
  };
}
