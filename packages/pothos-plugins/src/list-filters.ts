import type { OrderedBy } from './list-order.ts';

/** What a list can be filtered by: the model of its rows, and its arguments that are compared with columns. */
export interface ListFilters {
  readonly model: string;
  readonly filters: readonly string[];
  /** The orders that it can have instead of that of ids, if it has one of these arguments. */
  readonly orders: readonly (readonly OrderedBy[])[];
  readonly orderedBy: readonly string[];
  /** The columns that can be searched. */
  readonly search: readonly string[];
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    listFilters?: ListFilters;
    /** How many items the field lists at most, if no argument says that. The complexity of an operation counts by it. */
    listSize?: number | undefined;
  }
}

/** What the `query` of a list filters by, for relations that are given it. */
export const filtersOfQueries = new WeakMap<object, ListFilters>();
