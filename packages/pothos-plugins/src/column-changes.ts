import type { PothosInputFieldConfig, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import { getModel } from '@pothos/plugin-prisma';
import { columnNames, columnValuesOf } from './column-values.ts';

/** The columns to change, as Prisma takes them; those that are left out stay as they are. */
export type ColumnChanges<Model extends PrismaModelTypes, Input> = {
  [Name in keyof Input]?: Name extends keyof Model['Shape']
    ? Exclude<Model['Shape'][Name], undefined>
    : Exclude<Input[Name], undefined>;
};

/** Makes them of an input whose fields have the names of columns. */
export function changesOf<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): (input: object) => ColumnChanges<PrismaModelTypes, object> {
  const valueOf = columnValuesOf(model, columnNames(model, builder), builder);
  return (input) =>
    Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, valueOf(name, value, ['input', name])]),
    );
}

/**
 * Whether an input field may be left out but not be null: that of a change, if its column isn't nullable.
 *
 * @throws an error that names a field of a change that can't be left out, or would have a value when it is
 */
export function isNeverNull<Types extends SchemaTypes>(
  { name, kind, parentType, type, defaultValue }: PothosInputFieldConfig<Types>,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): boolean {
  const { extensions } =
    kind === 'InputObject' ? builder.configStore.getTypeConfig(parentType) : {};
  const model = extensions?.['changedModel'];
  if (typeof model !== 'string') {
    return false;
  }
  if (type.required || defaultValue !== undefined) {
    throw new Error(
      `${parentType}.${name} must be optional and have no default: a column that isn't given stays as it is`,
    );
  }
  const column = getModel(model, builder).fields.find((field) => field.name === name);
  return column?.isRequired === true;
}
