import type { ArgumentRef, InputFieldMap, InputShapeFromFields, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma';
import { builderPrototype, type AnyTypes } from './builder-prototype.ts';
import { filtersOf, IDS, type ReadFilters } from './column-filters.ts';
import type { Deprecation } from './deprecation.ts';
import { idOf, type IdColumn } from './id-columns.ts';
import { keysetQuery, type KeysetQuery } from './keyset-query.ts';
import { DEFAULT_SIZE, MAX_SIZE, sizeFrom } from './list-size.ts';
import { filtersOfQueries } from './list-filters.ts';
import { namesIn } from './resource.ts';
import { selectionQuery } from './selection-query.ts';

interface ListOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
  Filters extends InputFieldMap,
> {
  /** Arguments named like columns, which are compared with them. */
  readonly filters?: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'Arg'>) => Filters;
  readonly find: (
    query: KeysetQuery<Model, InputShapeFromFields<Filters>>,
    context: Types['Context'],
  ) => Promise<Model['Shape'][]>;
  /** Whether it can be restricted to some rows, by an argument `ids`; by default false. */
  readonly byIds?: boolean;
  /** Also of its connection; by default true. */
  readonly shared?: boolean;
  /** Of the list, not of its connection. */
  readonly deprecation?: Deprecation;
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
  readonly id: IdColumn;
  /** The argument `ids`, if the list has one, which relations don't. */
  readonly ids: { readonly [IDS]?: ArgumentRef<Types, readonly string[] | null | undefined> };
  readonly readFilters: ReadFilters;
  readonly query: (
    args: InputShapeFromFields<Filters> & PageArguments,
  ) => KeysetQuery<Model, InputShapeFromFields<Filters>>;
  readonly find: ListOptions<Types, Model, Filters>['find'];
  readonly shared: boolean;
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
    byIds = false,
    shared = true,
    deprecation,
  }: ListOptions<AnyTypes, PrismaModelTypes, NoFilters>,
): AnyList {
  const { plural, nouns, noun } = namesIn(this, type);
  const id = idOf(type.modelName, this);
  const columns = filters === undefined ? {} : this.args(filters);
  const args = this.args((t) => ({
    ...columns,
    limit: t.int({
      required: true,
      defaultValue: DEFAULT_SIZE,
      ...sizeFrom(1),
      description: `Maximum number of ${nouns} to return, 1 to ${MAX_SIZE}.`,
    }),
    after: t.id({
      rule: id.rule,
      example: id.example,
      description: `The id of the last ${noun} seen. The list continues after this id.`,
    }),
  }));
  const ids = byIds
    ? this.args((t) => ({
        [IDS]: t.idList({
          rule: id.rule,
          maxItems: MAX_SIZE,
          example: [id.example],
          description: `Only ${nouns} with these ids, 1 to ${MAX_SIZE}. Those that don't exist are left out.`,
        }),
      }))
    : {};
  const listFilters = { model: type.modelName, filters: Object.keys(columns) };
  const readFilters = filtersOf(listFilters, this);
  const query: AnyList['query'] = ({ limit, after, ...given }) =>
    keysetQuery(readFilters(given), {
      from: after && id.valueOf(after),
      isBackward: false,
      take: limit,
    });
  filtersOfQueries.set(query, listFilters);
  this.queryField(plural, (t) =>
    t.field({
      type: [type],
      description: `Lists ${nouns}, in the order of their ids.`,
      shared,
      ...(deprecation && { deprecation }),
      extensions: { listFilters },
      args: { ...ids, ...args },
      resolve: (_root, given, context, info) =>
        find({ ...selectionQuery({ context, info }), ...query(given) }, context),
    }),
  );
  return { type, filters: columns, args, id, ids, readFilters, query, find, shared };
}

builderPrototype.listField = listField;
