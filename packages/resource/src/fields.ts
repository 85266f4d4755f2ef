import type { ArgumentRef, InputFieldMap, InputShapeFromFields, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma';
import { type Deprecation, withArticle } from '@store-gateway/graphql';
import { decodedRows, foundRows, sendToSink } from '@store-gateway/ops';
import { codedError } from '@store-gateway/ops/errors';
import { type AnyTypes, type Builder, builderPrototype, namesIn } from './builder.ts';
import { idOf } from './columns.ts';
import {
  type ColumnFilters,
  filtersOf,
  filtersOfQueries,
  IDS,
  type ListFilters,
} from './list-filters.ts';
import {
  cursorOfIds,
  cursorOfOrders,
  type ListOrder,
  ORDER_BY,
  orderArguments,
  type OrderOptions,
  type Row,
} from './list-order.ts';
import {
  DEFAULT_SIZE,
  type IdOf,
  keysetQuery,
  type KeysetQuery,
  MAX_SIZE,
  pageInfoOf,
  readPage,
  sizeFrom,
} from './page.ts';
import { selectionQuery } from './selection-query.ts';

type Page = Awaited<ReturnType<typeof readPage>>;

interface ListOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
  Filters extends InputFieldMap,
> extends OrderOptions {
  /** Arguments that filter by the columns with the same names. An argument of a list type matches any of its items. */
  readonly filters?: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'Arg'>) => Filters;
  readonly find: (
    query: KeysetQuery<Model, InputShapeFromFields<Filters>>,
    context: Types['Context'],
  ) => Promise<Model['Shape'][]>;
  /** Counts all rows of the list, for the connection's `totalCount`: `database.book.count(query)`. */
  readonly count?: (
    query: Pick<KeysetQuery<Model, InputShapeFromFields<Filters>>, 'where'>,
    context: Types['Context'],
  ) => Promise<number>;
  /** Whether the list has an argument `ids`, which selects the rows with these ids. Defaults to false. */
  readonly byIds?: boolean;
  /** Whether identical reads of the list or its connection may share an execution. Defaults to true. */
  readonly shared?: boolean;
  /** Deprecates the list, but not its connection. */
  readonly deprecation?: Deprecation;
  /** The scopes that the list and its connection need. */
  readonly scopes?: readonly string[];
}

/** A list that `listField` added, for `connectionField` and relations. */
interface List<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
  Filters extends InputFieldMap,
> {
  readonly type: PrismaObjectRef<Types, Model, object>;
  readonly filters: Filters;
  readonly args: Filters & {
    limit: ArgumentRef<Types, number>;
    after: ArgumentRef<Types, string | null | undefined>;
  };
  /** The arguments that a relation's list doesn't have. */
  readonly ownArgs: NoFilters;
  readonly orderArgs: NoFilters;
  readonly cursor: ReturnType<typeof cursorOfIds>;
  readonly listFilters: ListFilters;
  readonly read: (args: object) => {
    readonly order: ListOrder;
    readonly where: ColumnFilters<PrismaModelTypes, object>;
  };
  readonly query: (
    args: InputShapeFromFields<Filters> & PageArguments,
  ) => KeysetQuery<Model, InputShapeFromFields<Filters>>;
  readonly find: ListOptions<Types, Model, Filters>['find'];
  readonly count: ListOptions<Types, Model, Filters>['count'];
  readonly shared: boolean;
  readonly scopes: readonly string[];
}

interface PageArguments {
  readonly limit: number;
  readonly after?: string | null | undefined;
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /**
       * Adds a field to Query that lists a type's rows, by default ordered by id. Its arguments are `limit`, `after` and the
       * filters. Returns the list, for `connectionField` and for relations:
       * `t.relation('items', { args: list.args, query: list.query })`.
       */
      listField: <Model extends PrismaModelTypes, Filters extends InputFieldMap = NoFilters>(
        type: PrismaObjectRef<Types, Model, object>,
        options: ListOptions<Types, Model, Filters>,
      ) => List<Types, Model, Filters>;
      /**
       * Adds a field to Query that returns a list as a connection (https://relay.dev/graphql/connections.htm): with `first` and
       * `after`, `last` and `before`, and the list's `limit`.
       */
      connectionField: <Model extends PrismaModelTypes, Filters extends InputFieldMap>(
        list: List<Types, Model, Filters>,
        options?: ConnectionOptions,
      ) => void;
      /** Adds a field to Query that fetches one row by its id, or throws NOT_FOUND. */
      getField: <Model extends PrismaModelTypes>(
        type: PrismaObjectRef<Types, Model, object>,
        options: GetOptions<Types, Model>,
      ) => void;
    }
  }
}

// oxlint-disable-next-line typescript/no-empty-object-type -- filters are generic
type NoFilters = {};

type AnyList = List<AnyTypes, PrismaModelTypes, NoFilters>;

/** The overload is for callers. The implementation only needs what all models have in common. */
function listField<Model extends PrismaModelTypes, Filters extends InputFieldMap>(
  this: Builder,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: ListOptions<AnyTypes, Model, Filters>,
): List<AnyTypes, Model, Filters>;
function listField(
  this: Builder,
  type: AnyList['type'],
  {
    filters,
    find,
    count,
    byIds = false,
    shared = true,
    deprecation,
    scopes = [],
    ...orderOptions
  }: ListOptions<AnyTypes, PrismaModelTypes, NoFilters>,
): AnyList {
  const { name, plural, nouns, noun } = namesIn(this, type);
  const model = type.modelName;
  const id = idOf(model, this);
  const columns = filters === undefined ? {} : this.args(filters);
  const orders = orderArguments({ name, nouns, model }, orderOptions, id, this);
  const orderArgs: NoFilters = orders.args;
  const cursor = orders.orders.length === 0 ? cursorOfIds(id, noun) : cursorOfOrders(id, noun);
  const args = this.args((t) => ({
    ...columns,
    ...orderArgs,
    limit: t.int({
      required: true,
      defaultValue: DEFAULT_SIZE,
      ...sizeFrom(1),
      description: `Maximum number of ${nouns} to return, 1 to ${MAX_SIZE}.`,
    }),
    after: t.id({ ...cursor.options, description: cursor.after }),
  }));
  const ids = byIds
    ? this.args((t) => ({
        [IDS]: t.idList({
          rule: id.rule,
          maxItems: MAX_SIZE,
          example: [id.example],
          description: `Only ${nouns} with these ids, 1 to ${MAX_SIZE} of them. Ids that don't exist are ignored.`,
        }),
      }))
    : {};
  const ownArgs: NoFilters = { ...ids, ...orders.ownArgs };
  const listFilters = {
    model,
    filters: Object.keys(columns),
    orders: orders.orders,
    orderedBy: [...Object.keys(orderArgs), ...Object.keys(orders.ownArgs)],
    prefixes: orderOptions.prefixes ?? [],
    search: orderOptions.search ?? [],
    columnsOf: new Map([
      ...Object.keys(columns).map((column) => [column, [column]] as const),
      [IDS, ['id']],
      ...orders.columnsOf,
    ]),
  };
  const readFilters = filtersOf(listFilters, new Set(listFilters.orderedBy), this);
  const read: AnyList['read'] = (given) => {
    const { order, restrictions } = orders.read(given);
    return { order, where: { ...readFilters(given), ...restrictions } };
  };
  const query: AnyList['query'] = ({ limit, after, ...given }) => {
    const { order, where } = read(given);
    const from = after ? order.placeAt(after, 'after') : undefined;
    return keysetQuery(where, order, { from, isBackward: false, take: limit });
  };
  filtersOfQueries.set(query, listFilters);
  const inOrder = orders.orders.length === 0 ? '' : ` unless \`${ORDER_BY}\` is given`;
  this.queryField(plural, (t) =>
    t.field({
      type: [type],
      description: `Lists ${nouns}, ordered by id${inOrder}.`,
      shared,
      scopes,
      ...(deprecation && { deprecation }),
      extensions: { listFilters, acceptsRowSink: true },
      args: { ...ownArgs, ...args },
      resolve: async (root, given, context, info) => {
        const asked = { ...selectionQuery({ context, info }), ...query(given) };
        return sendToSink(root, await foundRows(find(asked, context), root));
      },
    }),
  );
  return {
    type,
    filters: columns,
    args,
    ownArgs,
    orderArgs,
    cursor,
    listFilters,
    read,
    query,
    find,
    count,
    shared,
    scopes,
  };
}

builderPrototype.listField = listField;

interface ConnectionOptions {
  readonly deprecation?: Deprecation;
  /** The scopes that the connection needs in addition to the list's scopes. */
  readonly scopes?: readonly string[];
}

/** The complexity of a count, which may read all rows of a table, while a page reads only its own rows. */
const COUNT_COST = 1000;

/** A row and its position in an order. */
interface Edge extends Pick<Page, 'order'> {
  readonly row: Row;
}

function connectionField<Model extends PrismaModelTypes, Filters extends InputFieldMap>(
  this: Builder,
  list: List<AnyTypes, Model, Filters>,
  options?: ConnectionOptions,
): void;
function connectionField(
  this: Builder,
  list: AnyList,
  { deprecation, scopes = [] }: ConnectionOptions = {},
): void {
  const { type, filters, ownArgs, orderArgs, args, cursor, listFilters, shared } = list;
  const { read, find, count } = list;
  const { name, plural, noun, nouns, scopes: ofType } = namesIn(this, type);
  const pageInfo = pageInfoOf(this);
  const edge = this.objectRef<Edge>(`${name}Edge`).implement({
    description: `${capitalized(withArticle(noun))} and its position in the list.`,
    scopes: ofType,
    fields: (t) => ({
      cursor: t.id({
        description:
          'Pass it as `after` to get the page after this position, or as `before` to get the page before it.',
        resolve: ({ row, order }) => order.cursorOf(row) ?? '',
      }),
      node: t.field({ type, description: `The ${noun}.`, resolve: ({ row }) => row }),
    }),
  });
  const connection = this.objectRef<Page>(`${name}Connection`).implement({
    description: `A page of ${nouns}, in the form that the caches of GraphQL clients expect.`,
    scopes: ofType,
    fields: (t) => ({
      nodes: t.field({
        type: [type],
        description: `The ${nouns}.`,
        extensions: { acceptsRowSink: true },
        resolve: rowsIn,
      }),
      edges: t.field({
        type: [edge],
        description: `The ${nouns}, each with its cursor.`,
        resolve: edgesOf,
      }),
      pageInfo: t.field({
        type: pageInfo,
        description:
          'Where the page begins and ends, and whether there are pages before and after it.',
        resolve: (page) => page,
      }),
      ...(count && {
        totalCount: t.int({
          description: `Total number of ${nouns} in the list, including those outside \`after\` and \`before\`. Counting takes longer than reading a page.`,
          extensions: { cost: COUNT_COST },
          resolve: (page) => page.count(),
        }),
      }),
    }),
  });
  const paths = [['nodes'], ['edges', 'node']];
  this.queryField(`${plural}Connection`, (t) =>
    t.field({
      type: connection,
      description: `Lists ${nouns} page by page: the same list as \`${plural}\`, with information about further pages. At most one of \`first\`, \`last\` and \`limit\` may be given; without them, a page has up to ${DEFAULT_SIZE} ${nouns}.`,
      shared,
      scopes: [...list.scopes, ...scopes],
      ...(deprecation && { deprecation }),
      extensions: {
        listFilters: { ...listFilters, filters: Object.keys(filters) },
        acceptsRowSink: true,
      },
      args: {
        ...ownArgs,
        ...filters,
        ...orderArgs,
        first: t.arg.int({
          ...sizeFrom(0),
          description: `Maximum number of ${nouns} to return from the start of the list, or after \`after\`: 0 to ${MAX_SIZE}.`,
        }),
        after: args.after,
        last: t.arg.int({
          ...sizeFrom(0),
          description: `Maximum number of ${nouns} to return from the end of the list, or before \`before\`, in the same order: 0 to ${MAX_SIZE}.`,
        }),
        before: t.arg.id({ ...cursor.options, description: cursor.before }),
        limit: t.arg.int({
          ...sizeFrom(1),
          // The schema for REST. GraphQL's argument has no default, because a default would conflict with `first` and `last`.
          jsonSchema: { ...sizeFrom(1).rule.jsonSchema, default: DEFAULT_SIZE },
          example: DEFAULT_SIZE,
          description: `Maximum number of ${nouns} to return, 1 to ${MAX_SIZE}.`,
        }),
      },
      resolve: (root, { first, after, last, before, limit, ...given }, context, info) => {
        const { order, where } = read(given);
        const { columns } = order;
        const selection = selectionQuery({ context, info, typeName: name, paths, columns });
        const cursors = {
          after: after ? order.placeAt(after, 'after') : undefined,
          before: before ? order.placeAt(before, 'before') : undefined,
        };
        return readPage({ first, last, limit, ...cursors }, order, {
          read: (keyset) =>
            foundRows(find({ ...selection, ...keysetQuery(where, order, keyset) }, context), root),
          count: () => count?.({ where }, context) ?? Promise.resolve(0),
          root,
        });
      },
    }),
  );
}

function rowsIn({ rows, root }: Page): Row[] {
  return sendToSink(root, rows);
}

function edgesOf({ rows, order }: Page): Edge[] {
  return decodedRows(rows).map((row) => ({ row, order }));
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

builderPrototype.connectionField = connectionField;

interface GetOptions<Types extends SchemaTypes, Model extends PrismaModelTypes> {
  readonly find: (
    query: {
      readonly where: { readonly id: IdOf<Model> };
      readonly include?: Model['Include'];
      readonly select?: Model['Select'];
    },
    context: Types['Context'],
  ) => Promise<Model['Shape'] | null>;
  readonly deprecation?: Deprecation;
  /**
   * Whether identical reads may share an execution. Defaults to false, because concurrent reads of the same row are rare, and
   * coalescing costs more than reading the row in a batch.
   */
  readonly shared?: boolean;
  readonly scopes?: readonly string[];
}

function getField<Model extends PrismaModelTypes>(
  this: Builder,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: GetOptions<AnyTypes, Model>,
): void;
function getField(
  this: Builder,
  type: PrismaObjectRef<AnyTypes, PrismaModelTypes, object>,
  { find, deprecation, shared = false, scopes = [] }: GetOptions<AnyTypes, PrismaModelTypes>,
): void {
  const { name, noun } = namesIn(this, type);
  const column = idOf(type.modelName, this);
  const notFound = `There is no ${noun} with this id`;
  this.queryField(name.charAt(0).toLowerCase() + name.slice(1), (t) =>
    t.field({
      type,
      nullable: true,
      description: `Fetches one ${noun} by its identifier. If there is none, the field is null and the response has an error. Many clients then throw by default, or discard the data of the other fields.`,
      ...(deprecation && { deprecation }),
      extensions: { notFound },
      shared,
      scopes,
      args: {
        id: t.arg.id({
          required: true,
          // No input rule, so that a malformed id gets NOT_FOUND rather than BAD_USER_INPUT.
          jsonSchema: column.rule.jsonSchema,
          example: column.example,
          description: `Identifier of the ${noun} to retrieve.`,
        }),
      },
      resolve: async (_root, args, context, info) => {
        const id = column.valueOf(args.id);
        const row =
          id === undefined
            ? null
            : await find({ ...selectionQuery({ context, info }), where: { id } }, context);
        if (row === null) {
          throw codedError('NOT_FOUND', notFound);
        }
        return row;
      },
    }),
  );
}

builderPrototype.getField = getField;
