import type { PothosInputFieldConfig, SchemaTypes } from '@pothos/core';
import { getModel } from '@pothos/plugin-prisma';
import { storesScalar } from '@store-gateway/data';

type ModelField = ReturnType<typeof getModel>['fields'][number];

/**
 * Expects a field of the input of `createField` or `updateField` to be one of its model's: Prisma refuses any other name, and
 * values of another type, only when they are written.
 *
 * @returns the model's field
 * @throws Error that names the field
 */
export function expectColumn<Types extends SchemaTypes>(
  { name, parentType, type }: PothosInputFieldConfig<Types>,
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): ModelField {
  const field = getModel(model, builder).fields.find((each) => each.name === name);
  if (field === undefined) {
    throw new Error(
      `${parentType}.${name} is not a field of the model ${model}: rename it, or write the mutation with mutationField`,
    );
  }
  const isList = type.kind === 'List';
  const item = type.kind === 'List' ? type.type : type;
  if (field.kind === 'object' || item.kind !== 'Scalar') {
    return field;
  }
  const scalar = builder.configStore.getTypeConfig(item.ref).name;
  const isStored = storesScalar(field.type, scalar);
  if (!isStored || isList !== field.isList) {
    const column = `${field.type}${field.isList ? '[]' : ''}`;
    throw new Error(
      `${parentType}.${name} is ${isList ? `[${scalar}]` : scalar}, but the column ${model}.${name} stores ${column}`,
    );
  }
  return field;
}
