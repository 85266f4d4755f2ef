import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import { rowsBetween } from '@store-gateway/data';
import { reversed, type ColumnFilters } from './list-filters.ts';
import type { ListOrder, Row } from './list-order.ts';
import { integerBetween, inputError } from '@store-gateway/graphql';
import { decodedRows, type FoundRows } from '@store-gateway/ops';
import type { Builder } from './builder.ts';

type Place = ReturnType<ListOrder['placeOf']>;

/** The type of a model's id. */
export type IdOf<Model extends PrismaModelTypes> = Model['Shape'] extends { id: infer Id }
  ? Id
  : unknown;

/** Prisma's arguments for a page in an order or its reverse. `AND` contains the conditions from cursors. */
export interface KeysetQuery<Model extends PrismaModelTypes, Filters> {
  readonly where: ColumnFilters<Model, Filters> & {
    id?: { in?: IdOf<Model>[]; gt?: IdOf<Model>; lt?: IdOf<Model> };
    AND?: Model['Where'][];
  };
  readonly orderBy: { readonly id: 'asc' | 'desc' } | Model['OrderBy'][];
  readonly take: number;
  readonly include?: Model['Include'];
  readonly select?: Model['Select'];
}

/** The rows next to a position in an order, or at one end of the list. */
interface Keyset {
  /** The position after which the rows begin. By default, they begin at the start of the list or, backwards, at its end. */
  readonly from: Place | undefined;
  /** The position before which the rows end. The database compares the values, by the collation of their columns. */
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
    return {
      where: { ...filters, ...rowsBetween(walked, { after: from, until: to }) },
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

/** The default maximum number of items in a list. */
export const DEFAULT_SIZE = 20;

export const MAX_SIZE = 100;

/** Returns the options of an argument that limits how many items its field lists. */
export function sizeFrom(minimum: 0 | 1) {
  return { rule: integerBetween(minimum, MAX_SIZE), defaultListSize: DEFAULT_SIZE };
}

/** A page of a connection. Members that require a further read are functions, which are called only if they are selected. */
interface Page {
  readonly rows: FoundRows<Row>;
  readonly order: ListOrder;
  /** The root value of the execution, which may collect the rows (see `RowSink`). */
  readonly root: unknown;
  /** Counts all rows of the list. */
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
 * Reads a page with the algorithms from https://relay.dev/graphql/connections.htm#sec-Pagination-algorithm, for rows in an order.
 * A cursor is a position in that order, at which there need not be a row. `limit` and the default size apply as `first`, or as
 * `last` if `before` is the only cursor.
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
      // If the page is empty, the row after the cursor may be beyond `to`.
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

const pageInfos = new WeakMap<Builder, ReturnType<typeof createPageInfo>>();

/** Returns the type PageInfo, which all connections of a schema share. */
export function pageInfoOf(builder: Builder) {
  const pageInfo = pageInfos.get(builder) ?? createPageInfo(builder);
  pageInfos.set(builder, pageInfo);
  return pageInfo;
}

function createPageInfo(builder: Builder) {
  return builder.objectRef<Page>('PageInfo').implement({
    description: 'Where a page of a list begins and ends, and whether there are more pages.',
    fields: (t) => ({
      hasNextPage: t.boolean({
        description: 'Whether there are more pages after this one.',
        resolve: ({ hasNextPage }) => hasMoreOf(hasNextPage),
      }),
      hasPreviousPage: t.boolean({
        description: 'Whether there are more pages before this one.',
        resolve: ({ hasPreviousPage }) => hasMoreOf(hasPreviousPage),
      }),
      startCursor: t.id({
        nullable: true,
        description: 'Pass it as `before` to get the previous page; null if this page is empty.',
        resolve: (page) => cursorAt(page, 0),
      }),
      endCursor: t.id({
        nullable: true,
        description: 'Pass it as `after` to get the next page; null if this page is empty.',
        resolve: (page) => cursorAt(page, -1),
      }),
    }),
  });
}

function cursorAt({ rows, order }: Page, index: number) {
  const row = rows.at(index, order.columns);
  return (row && order.cursorOf(row)) ?? null;
}

function hasMoreOf(hasMore: Page['hasNextPage']): boolean | Promise<boolean> {
  return typeof hasMore === 'boolean' ? hasMore : hasMore();
}
