import type { PothosInputFieldConfig, SchemaTypes } from '@pothos/core';
import { getModel } from '@pothos/plugin-prisma';

type ModelField = ReturnType<typeof getModel>['fields'][number];

/** The column types of Prisma that take all values of a scalar. A store's own scalars aren't checked. */
const STORED_AS: Readonly<Record<string, readonly string[]>> = {
  BigInt: ['BigInt'],
  Boolean: ['Boolean'],
  Bytes: ['Bytes'],
  Date: ['DateTime'],
  DateTime: ['DateTime'],
  Decimal: ['Decimal'],
  Float: ['Float', 'Decimal'],
  ID: ['BigInt', 'Int', 'String'],
  Int: ['Int', 'BigInt', 'Float', 'Decimal'],
  Json: ['Json'],
  String: ['String'],
};

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
  const isStored = STORED_AS[scalar]?.includes(field.type) ?? true;
  if (!isStored || isList !== field.isList) {
    const column = `${field.type}${field.isList ? '[]' : ''}`;
    throw new Error(
      `${parentType}.${name} is ${isList ? `[${scalar}]` : scalar}, but the column ${model}.${name} stores ${column}`,
    );
  }
  return field;
}
