import type { GraphQLObjectTypeExtensions } from 'graphql';
import type { SchemaTypes, PothosInputFieldConfig } from '@pothos/core';
import { getModel, type PrismaModelTypes } from '@pothos/plugin-prisma';
import {
  typeOf,
  typeOfScalar,
  type ColumnType,
  type Models,
  storesScalar,
} from '@store-gateway/data';
import { isStorableText, type Json } from '@store-gateway/ops';
import {
  int64,
  integerBetween,
  text,
  uuid,
  type InputRule,
  inputError,
  type InputPath,
  NOT_NULL,
} from '@store-gateway/graphql';

/** How an ID, which is text in GraphQL, is converted to a value of an id column. */
interface IdColumn {
  readonly rule: InputRule;
  /** An example of an id in JSON. */
  readonly example: Json;
  /** Converts an ID to the value that Prisma expects; undefined if the column can't contain it. */
  readonly valueOf: (id: string) => unknown;
}

/** Returns how an ID maps to a field of a model, or undefined if the field is unknown or its type doesn't support ids. */
export function idColumn<Types extends SchemaTypes>(
  model: string,
  field: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): IdColumn | undefined {
  const column = columnOf(model, field, builder);
  const type = column ? typeOf(column) : integerOfPrisma(model, field, builder);
  if (type?.ids === undefined) {
    return undefined;
  }
  const { bits, maxLength, ids } = type;
  const { valueOf } = ids;
  if (bits !== undefined && valueOf !== undefined) {
    return { rule: integerRule(bits, valueOf), example: 42, valueOf };
  }
  return maxLength === undefined
    ? ofText(uuid, '0194f3c2-7c1e-4b6a-9d52-3f8a6c0e1b47')
    : ofText(text(1, maxLength), 'tz4a98xxat96iws9zmbrgj3a');
}

function ofText(rule: InputRule, example: string): IdColumn {
  return { rule, example, valueOf: (id) => (rule.accepts(id) ? id : undefined) };
}

/** Returns the column of a field, or undefined if `resources.models` doesn't include it. */
export function columnOf<Types extends SchemaTypes>(
  model: string,
  field: string,
  { options }: PothosSchemaTypes.SchemaBuilder<Types>,
): Models[string]['columns'][number] | undefined {
  return options.resources?.models[model]?.columns.find((column) => column.field === field);
}

/**
 * Returns how a field stores integers, according to its Prisma type; undefined for any other type. A Prisma String, for example,
 * may be stored as text or as a UUID.
 */
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

/**
 * Returns how an ID is converted to a model's id.
 *
 * @throws Error that lists the supported kinds of ids, if the model's id is of a different kind
 */
export function idOf<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): IdColumn {
  const isId = getModel(model, builder).fields.some(({ name, isId: is }) => name === 'id' && is);
  const column = isId ? idColumn(model, 'id', builder) : undefined;
  if (column === undefined) {
    throw new Error(
      `${model} can't be listed or fetched: it needs an id field named id, stored as bigint, integer, smallint, uuid or text, and the builder's option resources.models must include it`,
    );
  }
  return column;
}

/**
 * Converts an input to the value that Prisma expects for the column of the same name. IDs, which are text, are converted to the
 * column's type, also in lists.
 */
type ColumnValueOf = (name: string, value: unknown, path: InputPath) => unknown;

/**
 * Returns a function that converts inputs to column values. The rule for a text id doesn't apply to other text columns, which may
 * contain any text that their own inputs accept and PostgreSQL can store.
 *
 * The function throws BAD_USER_INPUT for a text that its column can't contain.
 */
export function columnValuesOf<Types extends SchemaTypes>(
  model: string,
  names: readonly string[],
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): ColumnValueOf {
  const conversions = new Map(names.map((name) => [name, conversionOf(model, name, builder)]));
  const convert: ColumnValueOf = (name, value, path) => {
    const conversion = conversions.get(name);
    if (conversion === undefined) {
      return value;
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => convert(name, item, [...path, index]));
    }
    if (typeof value !== 'string') {
      return value;
    }
    const ofColumn = conversion.valueOf(value);
    if (ofColumn === undefined) {
      const message = `${name} must be ${conversion.expected}`;
      throw inputError([{ path, message }]);
    }
    return ofColumn;
  };
  return convert;
}

/** How strings are converted to a column's values. */
interface Conversion extends Pick<IdColumn, 'valueOf'> {
  readonly expected: string;
}

const TO_TEXT: Conversion = {
  expected: 'a string without NUL or unpaired surrogates',
  valueOf: (value) => (isStorableText(value) ? value : undefined),
};

/** Returns how strings are converted to a column's values, or undefined if the column stores neither ids nor text. */
function conversionOf<Types extends SchemaTypes>(
  model: string,
  name: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): Conversion | undefined {
  const column = columnOf(model, name, builder);
  const isText = column !== undefined && typeOf(column).maxLength !== undefined;
  const { relations = [] } = builder.options.resources?.models[model] ?? {};
  if (isText && name !== 'id' && relations.every(({ foreignKey }) => foreignKey !== name)) {
    return TO_TEXT;
  }
  const ids = idColumn(model, name, builder);
  return ids && { expected: ids.rule.expected, valueOf: ids.valueOf };
}

/** Returns the names of a model's fields that are columns, in the model's order. */
export function columnNames<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): string[] {
  return getModel(model, builder)
    .fields.filter(({ kind }) => kind !== 'object')
    .map(({ name }) => name);
}

/** A column that lists can be ordered by. */
interface OrderedColumn {
  readonly field: string;
  readonly type: ColumnType;
  /** Converts the column's values to text for cursors, and back, without loss. */
  readonly cursor: NonNullable<ColumnType['cursor']>;
}

/** @throws Error that describes the columns that lists can be ordered by, if this isn't one of them */
export function orderedColumn<Types extends SchemaTypes>(
  model: string,
  field: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): OrderedColumn {
  const column = columnOf(model, field, builder);
  const isExact = column?.isRequired === true && column.isList !== true && column.isFiner !== true;
  const type = isExact ? typeOf(column) : undefined;
  if (type?.cursor === undefined) {
    throw new Error(
      `${model} can't be ordered by ${field}: the column must be required and hold integers, decimals, floats, text, days or times in milliseconds (@db.Timestamptz(3)), and the builder's option resources.models must include ${model}`,
    );
  }
  return { field, type, cursor: type.cursor };
}

type ModelField = ReturnType<typeof getModel>['fields'][number];

/**
 * Checks that an input field of `createField` or `updateField` is a field of its model, with the same type. Otherwise, the
 * mistake would only surface when Prisma rejects a write.
 *
 * @returns the model's field
 * @throws Error that names the field
 */
function expectColumn<Types extends SchemaTypes>(
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

/** The columns of a new row, with values as Prisma expects them. */
export type NewColumns<Model extends PrismaModelTypes, Input> = {
  [Name in keyof Input]: Name extends keyof Model['Shape']
    ? Exclude<Model['Shape'][Name], undefined>
    : Exclude<Input[Name], undefined>;
};

/** The columns to change; omitted columns keep their values. */
export type ColumnChanges<Model extends PrismaModelTypes, Input> = Partial<
  NewColumns<Model, Input>
>;

/** Returns a function that converts an input, whose fields are named like columns, to column values. */
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

/** The value of an omitted input field, and whether the field must not be null. */
interface Absence {
  readonly defaultValue: unknown;
  readonly notNull: boolean;
}

/**
 * Returns the meaning of an omitted input field: a change leaves its column unchanged, a replacement makes the column null, and
 * in a new row the column has its default. A field may be null only if its column may be null.
 *
 * @throws Error that names the field, if it is required or has a default in a change, if it has neither in a replacement although
 *   its column can't be null, or if its column can't store its type
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
      `${parentType}.${name} must be optional and have no default: an omitted column keeps its value`,
    );
  }
  if (isWhole === true && !isFilled && notNull) {
    throw new Error(
      `${parentType}.${name} must be required or have a default: an omitted column becomes null, and this column can't be null`,
    );
  }
  return { defaultValue: isWhole === true && !isFilled ? null : defaultValue, notNull };
}

/** States in an input's description that the input may be omitted but must not be null, which GraphQL's types can't express. */
export function withAbsence<Types extends SchemaTypes>(
  { description, type }: PothosInputFieldConfig<Types>,
  { notNull, defaultValue }: Absence,
): string | null | undefined {
  return notNull && !type.required && defaultValue === undefined
    ? `${(description ?? '').replace(/[^.]$/, '$&.')}${NOT_NULL}`.trim()
    : description;
}

/**
 * Returns what the extensions of a model's types record: its foreign keys, its unique columns, and whether other models refer to
 * it.
 */
export function modelFacts<Types extends SchemaTypes>(
  model: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): Pick<GraphQLObjectTypeExtensions, 'references' | 'unique' | 'isReferenced'> {
  const { fields, uniqueIndexes } = getModel(model, builder);
  return {
    references: Object.fromEntries(
      fields.flatMap(({ type, relationFromFields = [] }) => {
        const [column, ...others] = relationFromFields;
        return column === undefined || others.length > 0 ? [] : [[column, type]];
      }),
    ),
    unique: [
      ...fields.filter(({ isUnique }) => isUnique).map(({ name }) => name),
      ...uniqueIndexes.flatMap((index) => index.fields),
    ],
    isReferenced: fields.some(
      ({ kind, relationFromFields = [] }) => kind === 'object' && relationFromFields.length === 0,
    ),
  };
}

/** Returns the columns of a relation's foreign key; none if the other model has the foreign key. */
export function foreignKeyOf<Types extends SchemaTypes>(
  model: string,
  relation: string,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): readonly string[] {
  const field = getModel(model, builder).fields.find(({ name }) => name === relation);
  return field?.relationFromFields ?? [];
}
