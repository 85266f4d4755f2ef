import type { SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import { idColumn } from './id-columns.ts';
import { inputError } from './input-faults.ts';
import type { ListFilters } from './list-filters.ts';

/** The columns that filters are compared with, and their values as Prisma takes them. */
export type ColumnFilters<Model extends PrismaModelTypes, Filters> = {
  [Name in keyof Filters]?: Name extends keyof Model['Shape']
    ? NonNullable<Model['Shape'][Name]>
    : NonNullable<Filters[Name]>;
};

/** Makes filters for the columns of a model from arguments of the same names, those that aren't null. */
export type ReadFilters = (args: object) => ColumnFilters<PrismaModelTypes, object>;

export function filtersOf<Types extends SchemaTypes>(
  { model, filters: names }: ListFilters,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): ReadFilters {
  const idColumns = new Map(names.map((name) => [name, idColumn(model, name, builder)]));
  const valueOf = (name: string, value: unknown): unknown => {
    const column = typeof value === 'string' ? idColumns.get(name) : undefined;
    if (column === undefined || typeof value !== 'string') {
      return value;
    }
    const ofColumn = column.valueOf(value);
    if (ofColumn === undefined) {
      const message = `${name} must be ${column.rule.expected}`;
      throw inputError([{ path: [name], message }]);
    }
    return ofColumn;
  };
  return (args) => {
    const filters: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(args)) {
      if (value != null) {
        filters[name] = valueOf(name, value);
      }
    }
    return filters;
  };
}
