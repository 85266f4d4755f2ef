import type { SchemaTypes } from '@pothos/core';
import { getModel } from '@pothos/plugin-prisma';
import { typeOf, typeOfScalar, type ColumnType, type Models } from '@store-gateway/data';
import type { Json } from '@store-gateway/ops';
import { int64, integerBetween, text, uuid, type InputRule } from '@store-gateway/graphql';

/** What a column of ids takes of an ID, which is text. */
export interface IdColumn {
  readonly rule: InputRule;
  /** As JSON has it. */
  readonly example: Json;
  /** The value of an ID as Prisma takes it; undefined if it can't be one of the column's. */
  readonly valueOf: (id: string) => unknown;
}

/** What a field of a model takes of an ID; undefined if that isn't known. */
export function idColumn<Types extends SchemaTypes>(
  model: string,
  field: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): IdColumn | undefined {
  const column = columnOf(model, field, builder);
  const type = column ? typeOf(column) : integerOfPrisma(model, field, builder);
  if (type?.ids === undefined || column?.isList === true) {
    return undefined;
  }
  const { bits, maxLength, ids } = type;
  const { valueOf } = ids;
  if (bits !== undefined) {
    return { rule: integerRule(bits, valueOf), example: 42, valueOf };
  }
  return maxLength === undefined
    ? { rule: uuid, example: '0194f3c2-7c1e-4b6a-9d52-3f8a6c0e1b47', valueOf }
    : { rule: text(1, maxLength), example: 'tz4a98xxat96iws9zmbrgj3a', valueOf };
}

/** The column of a field; undefined if statements aren't made from the model. */
export function columnOf<Types extends SchemaTypes>(
  model: string,
  field: string,
  { options }: PothosSchemaTypes.SchemaBuilder<Types>,
): Models[string]['columns'][number] | undefined {
  return options.resources?.models[model]?.columns.find((column) => column.field === field);
}

/** Prisma's types say how integers are stored. They don't say what text is stored as. */
function integerOfPrisma<Types extends SchemaTypes>(
  model: string,
  field: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): ColumnType | undefined {
  const { type = '' } = getModel(model, builder).fields.find(({ name }) => name === field) ?? {};
  const stored = typeOfScalar(type);
  return stored?.bits === undefined ? undefined : stored;
}

function integerRule(bits: 16 | 32 | 64, valueOf: IdColumn['valueOf']): InputRule {
  if (bits === 64) {
    return int64;
  }
  const { expected, jsonSchema } = integerBetween(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1);
  return {
    expected,
    accepts: (id) => typeof id === 'string' && valueOf(id) !== undefined,
    jsonSchema: bits === 32 ? { type: 'integer', format: 'int32' } : jsonSchema,
  };
}

/** What a model's id takes. @throws an error that says which ids lists have, if the model has another */
export function idOf<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): IdColumn {
  const isId = getModel(model, builder).fields.some(({ name, isId: is }) => name === 'id' && is);
  const column = isId ? idColumn(model, 'id', builder) : undefined;
  if (column === undefined) {
    throw new Error(
      `${model} can't be listed or fetched: its id must be a field called id, stored as bigint, integer, smallint, uuid or text, and the builder's option resources.models must have the model`,
    );
  }
  return column;
}
