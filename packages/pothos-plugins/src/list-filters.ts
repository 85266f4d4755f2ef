/** What a list can be filtered by: the model of its rows, and its arguments that are compared with columns. */
export interface ListFilters {
  readonly model: string;
  readonly filters: readonly string[];
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    listFilters?: ListFilters;
    /** How many items the field lists at most, if no argument says that. The complexity of an operation counts by it. */
    listSize?: number | undefined;
  }
}

const filtersOfQueries = new WeakMap<object, ListFilters>();

/** A list's `query` that is known to filter by these, for relations that are given it. */
export function withFilters<Given, Query>(
  makeQuery: (given: Given) => Query,
  filters: ListFilters,
): (given: Given) => Query {
  const query = (given: Given): Query => makeQuery(given);
  filtersOfQueries.set(query, filters);
  return query;
}

export function listFiltersOf(query: unknown): ListFilters | undefined {
  return query instanceof Object ? filtersOfQueries.get(query) : undefined;
}
