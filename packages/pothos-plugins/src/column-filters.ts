import type { SchemaTypes } from '@pothos/core';
import { getModel, type PrismaModelTypes } from '@pothos/plugin-prisma';

/** The columns that filters are compared with, and their values as Prisma takes them. */
export type ColumnFilters<Model extends PrismaModelTypes, Filters> = {
  [Name in keyof Filters]?: Name extends keyof Model['Shape']
    ? NonNullable<Model['Shape'][Name]>
    : NonNullable<Filters[Name]>;
};

/** Makes filters for the columns of a model from arguments of the same names, those that aren't null. */
export type ReadFilters = (args: object) => ColumnFilters<PrismaModelTypes, object>;

/** What an ID, which is text, is in a column of some type. */
const IDS: Readonly<Record<string, (id: string) => unknown>> = { BigInt, Int: Number };

export function filtersOf<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): ReadFilters {
  const types = new Map(getModel(model, builder).fields.map(({ name, type }) => [name, type]));
  const valueOf = (name: string, value: unknown) => {
    const ofColumn = IDS[types.get(name) ?? ''];
    return typeof value === 'string' && ofColumn !== undefined ? ofColumn(value) : value;
  };
  return (args) =>
    Object.fromEntries(
      Object.entries(args)
        .filter(([, value]) => value != null)
        .map(([name, value]) => [name, valueOf(name, value)]),
    );
}
