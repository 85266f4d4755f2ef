import { type GraphQLSchema, isListType, isNonNullType, type GraphQLField } from 'graphql';
import type { SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import { columnNames, columnValuesOf } from './columns.ts';

/** A column, and the direction in which its values are sorted. */
export interface OrderedBy {
  readonly field: string;
  readonly order: 'asc' | 'desc';
}

/** Returns the column in the opposite direction. */
export function reversed<Column extends OrderedBy>(column: Column): Column {
  return { ...column, order: column.order === 'asc' ? 'desc' : 'asc' };
}

/** A list's model, and the arguments that filter and order it. */
export interface ListFilters {
  readonly model: string;
  readonly filters: readonly string[];
  /** The orders other than by id. They are available if the field has one of the arguments in `orderedBy`. */
  readonly orders: readonly (readonly OrderedBy[])[];
  readonly orderedBy: readonly string[];
  /** The columns that each argument can reveal. */
  readonly columnsOf: ReadonlyMap<string, readonly string[]>;
  /** The columns that can be filtered by prefix, and those that can be searched. */
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
 * Returns each model's columns that lists can filter by prefix. Rows with the same prefix are adjacent in an index only if the
 * database orders text by bytes.
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

/** The filters of each list, by the list's `query` function, which is also passed to relations. */
export const filtersOfQueries = new WeakMap<object, ListFilters>();

/** Filters by column, with values as Prisma expects them. A list becomes `in`, which matches any of its items. */
export type ColumnFilters<Model extends PrismaModelTypes, Filters> = {
  [Name in keyof Filters]?: Name extends keyof Model['Shape']
    ? NonNullable<Filters[Name]> extends readonly unknown[]
      ? { in: NonNullable<Model['Shape'][Name]>[] }
      : NonNullable<Model['Shape'][Name]>
    : NonNullable<Filters[Name]>;
};

/** The name of the argument that filters a list by ids. */
export const IDS = 'ids';

/** Converts the non-null arguments to filters on the columns with the same names. A list matches any of its items. */
type ReadFilters = (args: object) => ColumnFilters<PrismaModelTypes, object>;

export function filtersOf<Types extends SchemaTypes>(
  { model, filters: names }: Pick<ListFilters, 'model' | 'filters'>,
  others: ReadonlySet<string>,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): ReadFilters {
  const valueOf = columnValuesOf(model, ['id', ...names], builder);
  const columns = new Set(columnNames(model, builder));
  return (args) => {
    const filters: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(args)) {
      if (name === IDS && Array.isArray(value)) {
        filters['id'] = { in: value.map((id: unknown) => valueOf('id', id, [IDS])) };
      } else if (value != null && !others.has(name)) {
        const ofColumn = valueOf(name, value, [name]);
        filters[name] =
          Array.isArray(ofColumn) && columns.has(name) ? { in: [...new Set(ofColumn)] } : ofColumn;
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
    /** From the Prisma plugin, like `pothosPrismaSelect`: the relation that the field returns. */
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
  /** The relation's name in the Prisma model, and the model of its rows. */
  readonly relation: string;
  readonly target: string;
  /** The field's option `query`: Prisma's arguments, or a function that returns them. */
  readonly query: unknown;
  /** The list's filters, if `query` is a list's `query`. */
  readonly filters: ListFilters | undefined;
}

/** Returns the options of a field that `t.relation` created; undefined unless the relation is to-many. */
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
  // A connection's `query` can't be called here, because it needs a request's arguments.
  if (isList && typeof select === 'function') {
    select({}, {}, (given) => {
      query = given;
      return {};
    });
  }
  const filters = query instanceof Object ? filtersOfQueries.get(query) : undefined;
  return { relation: relation.name, target: relation.type, query, filters };
}

/** Whether `t.relationCount` created the field. */
export function countsRelations({ extensions }: GraphQLField<unknown, unknown>): boolean {
  const { pothosPrismaSelect: select } = extensions;
  return typeof select === 'object' && '_count' in select;
}
