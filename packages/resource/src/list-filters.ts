import { type GraphQLSchema, isListType, isNonNullType, type GraphQLField } from 'graphql';
import type { SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import { columnNames, columnValuesOf } from './columns.ts';

/** A column, and the direction in which rows are in the order of its values. */
export interface OrderedBy {
  readonly field: string;
  readonly order: 'asc' | 'desc';
}

/** The same column, in the other direction. */
export function reversed<Column extends OrderedBy>(column: Column): Column {
  return { ...column, order: column.order === 'asc' ? 'desc' : 'asc' };
}

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

/** The columns that filters are compared with, and their values as Prisma takes them: of a list, each of which may be. */
export type ColumnFilters<Model extends PrismaModelTypes, Filters> = {
  [Name in keyof Filters]?: Name extends keyof Model['Shape']
    ? NonNullable<Filters[Name]> extends readonly unknown[]
      ? { in: NonNullable<Model['Shape'][Name]>[] }
      : NonNullable<Model['Shape'][Name]>
    : NonNullable<Filters[Name]>;
};

/** The argument that a list is restricted to some rows by. */
export const IDS = 'ids';

/** Makes filters for the columns of a model from arguments of the same names, those that aren't null: of a list, any of its items. */
type ReadFilters = (args: object) => ColumnFilters<PrismaModelTypes, object>;

export function filtersOf<Types extends SchemaTypes>(
  { model, filters: names }: Pick<ListFilters, 'model' | 'filters'>,
  others: ReadonlySet<string>,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): ReadFilters {
  const valueOf = columnValuesOf(model, ['id', ...names], builder);
  const columns = new Set(columnNames(model, builder));
  const anyOf = (name: string, values: readonly unknown[]) => ({
    in: [...new Set(values.map((value, index) => valueOf(name, value, [name, index])))],
  });
  return (args) => {
    const filters: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(args)) {
      if (name === IDS && Array.isArray(value)) {
        filters['id'] = { in: value.map((id: unknown) => valueOf('id', id, [IDS])) };
      } else if (value != null && !others.has(name)) {
        filters[name] =
          Array.isArray(value) && columns.has(name)
            ? anyOf(name, value)
            : valueOf(name, value, [name]);
      }
    }
    return filters;
  };
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** From Pothos: the column that an exposed field shows. */
    pothosExposedField?: string | undefined;
    /** From the Prisma plugin, as is `pothosPrismaSelect`. */
    pothosPrismaRelationField?: {
      readonly name: string;
      readonly type: string;
      readonly isList: boolean;
    };
    pothosPrismaSelect?:
      | object
      | ((args: object, context: object, nested: (query: unknown) => object) => unknown)
      | undefined;
  }
}

/** A field that lists the rows of a relation. */
interface ListedRelation {
  /** Its name in the Prisma model, and the model of its rows. */
  readonly relation: string;
  readonly target: string;
  /** What it was given to make Prisma's arguments with: those themselves, or what returns them. */
  readonly query: unknown;
  /** If that is the `query` of a list. */
  readonly filters: ListFilters | undefined;
}

/** The options of a field made by `t.relation`; undefined unless it is a relation to many. */
export function listedRelation({
  extensions,
  type,
}: GraphQLField<unknown, unknown>): ListedRelation | undefined {
  const { pothosPrismaRelationField: relation, pothosPrismaSelect: select } = extensions;
  if (relation?.isList !== true) {
    return undefined;
  }
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  let query: unknown = {};
  // A connection's query takes the arguments of a request.
  if (isList && typeof select === 'function') {
    select({}, {}, (given) => {
      query = given;
      return {};
    });
  }
  const filters = query instanceof Object ? filtersOfQueries.get(query) : undefined;
  return { relation: relation.name, target: relation.type, query, filters };
}

/** Whether it is a field of `t.relationCount`. */
export function countsRelations({ extensions }: GraphQLField<unknown, unknown>): boolean {
  const { pothosPrismaSelect: select } = extensions;
  return typeof select === 'object' && '_count' in select;
}
