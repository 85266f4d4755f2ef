import type { GraphQLSchema } from 'graphql';
import type { OrderedBy } from './list-order.ts';

/** What a list can be filtered by: the model of its rows, and its arguments that are compared with columns. */
export interface ListFilters {
  readonly model: string;
  readonly filters: readonly string[];
  /** The orders that it can have instead of that of ids, if it has one of these arguments. */
  readonly orders: readonly (readonly OrderedBy[])[];
  readonly orderedBy: readonly string[];
  /** Of each argument that tells of columns: which. */
  readonly columnsOf: ReadonlyMap<string, readonly string[]>;
  /** The columns that can have a prefix, and those that can be searched. */
  readonly prefixes: readonly string[];
  readonly search: readonly string[];
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    listFilters?: ListFilters;
  }
}

/**
 * The columns by whose prefixes lists can be restricted, by model. Their rows follow each other, and so are read off an index,
 * only where the database orders texts by their bytes.
 */
export function prefixedColumns(schema: GraphQLSchema): ReadonlyMap<string, ReadonlySet<string>> {
  const columns = new Map<string, Set<string>>();
  for (const { extensions } of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { model = '', prefixes = [] } = extensions.listFilters ?? {};
    if (prefixes.length > 0) {
      columns.set(model, new Set([...(columns.get(model) ?? []), ...prefixes]));
    }
  }
  return columns;
}

/** What the `query` of a list filters by, for relations that are given it. */
export const filtersOfQueries = new WeakMap<object, ListFilters>();
