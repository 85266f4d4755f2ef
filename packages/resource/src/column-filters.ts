import type { SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import { columnNames, columnValuesOf } from './column-values.ts';
import type { ListFilters } from './list-filters.ts';

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
  const anyOf = (field: string, values: readonly unknown[], argument: string) => ({
    in: [...new Set(values.map((value, index) => valueOf(field, value, [argument, index])))],
  });
  return (args) => {
    const filters: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(args)) {
      if (name === IDS && Array.isArray(value)) {
        filters['id'] = { in: value.map((id: unknown) => valueOf('id', id, [IDS])) };
      } else if (value != null && !others.has(name)) {
        filters[name] =
          Array.isArray(value) && columns.has(name)
            ? anyOf(name, value, name)
            : valueOf(name, value, [name]);
      }
    }
    return filters;
  };
}
