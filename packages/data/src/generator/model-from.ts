import type { DMMF } from '@prisma/generator-helper';
import { typeOf, typeOfScalar } from '../column-types.ts';
import type { Column, Index, Model as WholeModel, Relation } from '../model.ts';
import { arrayLiteral, quoted } from '../sql.ts';
import { enumType, type ColumnType } from '../types.ts';
import { generatedDefault } from './generated-default.ts';

/** What of a model can be written as JSON. */
export type Model = Omit<WholeModel, 'rowAt'>;

type Datamodel = DMMF.Document['datamodel'];

/** The model as statements are made from it; undefined if none can be. */
export function modelFrom(model: DMMF.Model, datamodel: Datamodel): Model | undefined {
  const table = model.dbName ?? model.name;
  const columns = model.fields
    .filter(({ kind }) => kind !== 'object')
    .map((field) => columnFrom(field, table, datamodel.enums));
  const id = model.fields.find(({ isId }) => isId)?.name;
  const idColumn = columns.find((column) => column?.field === id);
  const isKnown =
    columns.every((column) => column !== undefined) &&
    idColumn !== undefined &&
    typeOf(idColumn).ids !== undefined;
  // The search path doesn't lead to a schema that the model names.
  if (!isKnown || id === undefined || model.schema !== null) {
    return undefined;
  }
  return {
    name: model.name,
    table,
    columns,
    id,
    indexes: datamodel.indexes.filter((index) => index.model === model.name).map(indexFrom),
    relations: model.fields
      .filter(({ kind }) => kind === 'object')
      .map((field) => relationFrom(field, model, datamodel)),
  };
}

/** A scalar field's column; undefined if it is of a type that no statement handles. */
function columnFrom(
  field: DMMF.Field,
  table: string,
  enums: readonly DMMF.DatamodelEnum[],
): Column | undefined {
  const { name, isRequired, isList } = field;
  const found = enums.find((each) => field.kind === 'enum' && each.name === field.type);
  const enumValues = found && valuesOf(found);
  const type =
    found && enumValues
      ? enumType(quoted(found.dbName ?? found.name), enumValues)
      : typeOfScalar(field.type, field.nativeType?.[0]);
  if (type === undefined) {
    return undefined;
  }
  const column = field.dbName ?? name;
  return {
    field: name,
    column,
    pgType: isList ? `${type.pg}[]` : type.pg,
    isRequired,
    ...(isList && { isList: true as const }),
    ...(isFiner(field, type) && { isFiner: true as const }),
    ...(enumValues && { enumValues }),
    ...(field.isUpdatedAt === true && updatedAt(type)),
    ...defaultFrom(field, type, `${table}_${column}_seq`),
  };
}

/** What the client calls each of the database's values. */
function valuesOf({ values }: DMMF.DatamodelEnum): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map(({ name, dbName }) => [dbName ?? name, name]));
}

/** PostgreSQL keeps microseconds, unless the attribute has a precision. Prisma's own default is 3. */
function isFiner({ nativeType }: DMMF.Field, { time = 'day' }: ColumnType): boolean {
  const [, [precision = 6]] = nativeType ?? ['Timestamp', ['3']];
  return time !== 'day' && Number(precision) > 3;
}

function updatedAt(type: ColumnType): Pick<Column, 'onUpdate'> {
  const now = generatedDefault('now()', type, '');
  return now === undefined ? {} : { onUpdate: now };
}

function defaultFrom(
  { default: value, isUpdatedAt = false }: DMMF.Field,
  type: ColumnType,
  sequence: string,
): Pick<Column, 'constant' | 'generated' | 'isGeneratedByEngine'> {
  const { constant = String } = type;
  if (Array.isArray(value)) {
    return { constant: arrayLiteral(value.map((item) => constant(String(item)))) };
  }
  if (typeof value !== 'object' && !isUpdatedAt) {
    return value === undefined ? {} : { constant: constant(String(value)) };
  }
  const { name, args } =
    typeof value === 'object' && 'name' in value ? value : { name: 'now', args: [] };
  const generated = generatedDefault(`${name}(${args.join()})`, type, sequence);
  return generated === undefined ? { isGeneratedByEngine: true } : { generated };
}

function indexFrom({ algorithm, fields }: DMMF.Index): Index {
  return {
    fields: fields.map(({ name, sortOrder = 'asc', operatorClass }) => ({
      field: name,
      order: sortOrder,
      ...(operatorClass !== undefined && { ops: operatorClass }),
    })),
    ...(algorithm !== undefined && algorithm !== 'BTree' && { type: algorithm }),
  };
}

function relationFrom(field: DMMF.Field, model: DMMF.Model, { models }: Datamodel): Relation {
  const { name, type, isList, relationName } = field;
  const other = models.find((candidate) => candidate.name === type);
  const holder = isList
    ? other?.fields.find((back) => back.relationName === relationName && !back.isList)
    : field;
  const [foreignKey = '', ...more] = holder?.relationFromFields ?? [];
  const referenced = (isList ? model : other)?.fields.find(
    ({ name: to }) => to === holder?.relationToFields?.[0],
  );
  const isById = foreignKey !== '' && more.length === 0 && referenced?.isId === true;
  return {
    field: name,
    name: relationName ?? '',
    model: type,
    kind: isById ? (isList ? 'many' : 'one') : 'other',
    foreignKey: isById ? foreignKey : '',
    ...(isList && { isList }),
  };
}
