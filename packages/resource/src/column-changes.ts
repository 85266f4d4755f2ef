import type { PothosInputFieldConfig, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import { NOT_NULL } from '@store-gateway/graphql';
import { expectColumn } from './column-inputs.ts';
import { columnNames, columnValuesOf } from './column-values.ts';

/** The columns to change, as Prisma takes them; those that are left out stay as they are. */
export type ColumnChanges<Model extends PrismaModelTypes, Input> = {
  [Name in keyof Input]?: Name extends keyof Model['Shape']
    ? Exclude<Model['Shape'][Name], undefined>
    : Exclude<Input[Name], undefined>;
};

/** The columns of a new row, as Prisma takes them. */
export type NewColumns<Model extends PrismaModelTypes, Input> = {
  [Name in keyof Input]: Name extends keyof Model['Shape']
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

/** What an input field is if it isn't given, and whether it may be null. */
interface Absence {
  readonly defaultValue: unknown;
  readonly notNull: boolean;
}

/**
 * Of a change, a field that isn't given leaves its column as it is; of a replacement, it makes it null; of a new row, it has
 * the column's default. None is null if its column can't be.
 *
 * @throws an error that names a field of a change that has to be given or has a default, one of a replacement that should, or
 *   one that its column can't store
 */
export function absenceOf<Types extends SchemaTypes>(
  config: PothosInputFieldConfig<Types>,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): Absence {
  const { name, kind, parentType, type, defaultValue } = config;
  const { createdModel, changedModel, isWhole } =
    (kind === 'InputObject' && builder.configStore.getTypeConfig(parentType).extensions) || {};
  const model = changedModel ?? createdModel;
  if (typeof model !== 'string') {
    return { defaultValue, notNull: false };
  }
  const { isRequired: notNull } = expectColumn(config, model, builder);
  if (changedModel === undefined) {
    return { defaultValue, notNull };
  }
  const isFilled = type.required || defaultValue !== undefined;
  if (isWhole !== true && isFilled) {
    throw new Error(
      `${parentType}.${name} must be optional and have no default: a column that isn't given stays as it is`,
    );
  }
  if (isWhole === true && !isFilled && notNull) {
    throw new Error(
      `${parentType}.${name} must be required or have a default: a column that isn't given is null, which this one can't be`,
    );
  }
  return { defaultValue: isWhole === true && !isFilled ? null : defaultValue, notNull };
}

/** The description of an input, which also says that it may be left out, but not null: GraphQL's types can't. */
export function withAbsence<Types extends SchemaTypes>(
  { description, type }: PothosInputFieldConfig<Types>,
  { notNull, defaultValue }: Absence,
): string | null | undefined {
  return notNull && !type.required && defaultValue === undefined
    ? `${(description ?? '').replace(/[^.]$/, '$&.')}${NOT_NULL}`.trim()
    : description;
}
