/** An animal of a store that is kept in memory. */
export interface StoredPet {
  readonly id: bigint;
  readonly status: string;
}

export interface ConnectionArguments {
  readonly status?: string | null | undefined;
  readonly first?: number | null | undefined;
  readonly last?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly before?: string | null | undefined;
}

/**
 * The page by the algorithms of https://relay.dev/graphql/connections.htm#sec-Pagination-algorithm, with what is before
 * `after` and behind `before` told truly. One of `first` and `last` is a number.
 */
export function pageBySpecification(
  stored: readonly StoredPet[],
  { status, first, last, after, before }: ConnectionArguments,
) {
  const ids = stored
    .filter((pet) => status == null || pet.status === status)
    .map(({ id }) => id)
    .toSorted((a, b) => (a < b ? -1 : 1));
  const isPrior = (id: bigint) => after != null && id <= BigInt(after);
  const isLater = (id: bigint) => before != null && id >= BigInt(before);
  const edges = ids.filter((id) => !isPrior(id) && !isLater(id));
  const page = (
    first == null
      ? edges.slice(edges.length - Math.min(last ?? 0, edges.length))
      : edges.slice(0, first)
  ).map(String);
  return {
    edges: page.map((id) => ({ cursor: id, node: { id } })),
    nodes: page.map((id) => ({ id })),
    pageInfo: {
      hasPreviousPage: last == null ? ids.some(isPrior) : edges.length > last,
      hasNextPage: first == null ? ids.some(isLater) : edges.length > first,
      startCursor: page[0] ?? null,
      endCursor: page.at(-1) ?? null,
    },
  };
}

/** The fields of that page. */
export const PAGE_FIELDS = `
  edges { cursor node { id } }
  nodes { id }
  pageInfo { hasPreviousPage hasNextPage startCursor endCursor }`;
