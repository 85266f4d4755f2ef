import type { ArgumentRef, InputFieldMap, InputShapeFromFields, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma';
import { foundRows, takenBy } from '@store-gateway/ops';
import type { Deprecation } from '@store-gateway/graphql';
import { builderPrototype, type AnyTypes } from './builder-prototype.ts';
import {
  filtersOf,
  IDS,
  type ColumnFilters,
  filtersOfQueries,
  type ListFilters,
} from './list-filters.ts';
import {
  cursorOfIds,
  cursorOfOrders,
  type CursorOptions,
  type ListOrder,
  ORDER_BY,
  orderArguments,
  type OrderOptions,
} from './list-order.ts';
import { idOf } from './columns.ts';
import { keysetQuery, type KeysetQuery, DEFAULT_SIZE, MAX_SIZE, sizeFrom } from './page.ts';
import { namesIn } from './resource-names.ts';
import { selectionQuery } from './selection-query.ts';

interface ListOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
  Filters extends InputFieldMap,
> extends OrderOptions {
  /** Arguments named like columns, which are compared with them: those of a list type, with each of its items. */
  readonly filters?: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'Arg'>) => Filters;
  readonly find: (
    query: KeysetQuery<Model, InputShapeFromFields<Filters>>,
    context: Types['Context'],
  ) => Promise<Model['Shape'][]>;
  /** The number of rows that it has in all, for `totalCount` of its connection: `database.book.count(query)`. */
  readonly count?: (
    query: Pick<KeysetQuery<Model, InputShapeFromFields<Filters>>, 'where'>,
    context: Types['Context'],
  ) => Promise<number>;
  /** Whether it can be restricted to some rows, by an argument `ids`; by default false. */
  readonly byIds?: boolean;
  /** Also of its connection; by default true. */
  readonly shared?: boolean;
  /** Of the list, not of its connection. */
  readonly deprecation?: Deprecation;
  /** Also of its connection. */
  readonly scopes?: readonly string[];
}

/** The arguments of a type's lists, and the query for them. */
export interface List<
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
  /** The arguments that relations don't have. */
  readonly ownArgs: NoFilters;
  readonly orderArgs: NoFilters;
  readonly cursor: CursorOptions;
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
       * Adds a field of Query that lists a type's rows by `limit`, `after` and filters, in the order of their ids. It returns
       * the list for `connectionField`, and for relations: `t.relation('items', { args: list.args, query: list.query })`.
       */
      listField: <Model extends PrismaModelTypes, Filters extends InputFieldMap = NoFilters>(
        type: PrismaObjectRef<Types, Model, object>,
        options: ListOptions<Types, Model, Filters>,
      ) => List<Types, Model, Filters>;
    }
  }
}

// oxlint-disable-next-line typescript/no-empty-object-type -- filters are generic
type NoFilters = {};

export type AnyList = List<AnyTypes, PrismaModelTypes, NoFilters>;

/** The overload is for callers; the implementation only needs what all models have in common. */
function listField<Model extends PrismaModelTypes, Filters extends InputFieldMap>(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: ListOptions<AnyTypes, Model, Filters>,
): List<AnyTypes, Model, Filters>;
function listField(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
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
      extensions: { listFilters, takesRows: true },
      args: { ...ownArgs, ...args },
      resolve: async (root, given, context, info) => {
        const asked = { ...selectionQuery({ context, info }), ...query(given) };
        return takenBy(root, await foundRows(find(asked, context), root));
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
