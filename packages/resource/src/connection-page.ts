import { decodedRows, type FoundRows } from '@store-gateway/ops';
import { inputError } from '@store-gateway/graphql';
import type { Keyset } from './keyset-query.ts';
import type { ListOrder, Place, Row } from './list-order.ts';
import { DEFAULT_SIZE } from './list-size.ts';

/** A page of a connection. What takes another read is a function, called only if it is selected. */
export interface Page {
  readonly rows: FoundRows<Row>;
  readonly order: ListOrder;
  /** What may take the rows. */
  readonly root: unknown;
  /** The number of rows that the list has in all. */
  readonly count: () => Promise<number>;
  readonly hasNextPage: boolean | (() => Promise<boolean>);
  readonly hasPreviousPage: boolean | (() => Promise<boolean>);
}

type Given<Value> = Value | null | undefined;

interface PageArguments {
  readonly first?: Given<number>;
  readonly after?: Place | undefined;
  readonly last?: Given<number>;
  readonly before?: Place | undefined;
  readonly limit?: Given<number>;
}

/**
 * Reads a page by the algorithms of https://relay.dev/graphql/connections.htm#sec-Pagination-algorithm, for rows in an
 * order. A cursor is a place in that order, whether or not a row is there. `limit` is `first`, or `last` where there
 * is only `before` to go on from; so is the default size.
 *
 * @throws BAD_USER_INPUT if more than one size is given
 */
export async function readPage(
  { first, after, last, before, limit }: PageArguments,
  order: ListOrder,
  {
    read,
    count,
    root,
  }: Pick<Page, 'count' | 'root'> & {
    readonly read: (keyset: Keyset) => PromiseLike<FoundRows<Row>>;
  },
): Promise<Page> {
  if (Number(first != null) + Number(last != null) + Number(limit != null) > 1) {
    throw sizesError({ first, last, limit });
  }
  const isBackward = last != null || (before != null && first == null && after == null);
  const size = first ?? last ?? limit ?? DEFAULT_SIZE;
  const [from, to] = isBackward ? [before, after] : [after, before];

  const found = await read({ from, to, isBackward, take: size + 1 });
  const rows = found.slice(0, size);
  const hasMore = found.length > size;
  const hasPassed =
    from != null &&
    (async () => {
      // Without a row on the page, the one that the cursor leads to may lie behind its end.
      const nearest =
        found.length > 0 || to == null ? found : await read({ from, isBackward, take: 1 });
      const next = nearest.at(0, order.columns);
      const behind = next && order.placeOf(next);
      const passed = await read({ from: behind, isBackward: !isBackward, take: 1 });
      return passed.length > 0;
    });
  const page = { order, count, root };
  return isBackward
    ? {
        ...page,
        rows: decodedRows(rows).toReversed(),
        hasNextPage: hasPassed,
        hasPreviousPage: hasMore,
      }
    : { ...page, rows, hasNextPage: hasMore, hasPreviousPage: hasPassed };
}

function sizesError(sizes: Record<string, Given<number>>): Error {
  const [kept, ...others] = Object.keys(sizes).filter((name) => sizes[name] != null);
  return inputError(
    others.map((name) => ({ path: [name], message: `${name} must not be combined with ${kept}` })),
  );
}
