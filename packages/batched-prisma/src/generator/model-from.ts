import type { DMMF } from '@prisma/generator-helper';
import type { Model as WholeModel, Relation } from '../model.ts';
import { columnFrom } from './column-from.ts';

/** What of a model can be written as JSON. */
export type Model = Omit<WholeModel, 'rowAt'>;

type Datamodel = DMMF.Document['datamodel'];

/** Characters of an identifier in PostgreSQL. */
const MAX_NAME_LENGTH = 63;

/** The model as statements are made from it; undefined if none can be. */
export function modelFrom(model: DMMF.Model, datamodel: Datamodel): Model | undefined {
  const columns = model.fields
    .filter(({ kind }) => kind !== 'object')
    .map((field) => columnFrom(field, datamodel.enums));
  const id = model.fields.find(({ isId }) => isId);
  if (id === undefined || !columns.every(isPresent)) {
    return undefined;
  }
  const schema = model.schema === null ? [] : [model.schema];
  const table = model.dbName ?? model.name;
  // As PostgreSQL names it, unless it has to shorten it.
  const sequence = `${table}_${id.dbName ?? id.name}_seq`;
  const isSerial = columns.some(
    (column) => column.field === id.name && column.default === 'autoincrement',
  );
  return {
    name: model.name,
    table: [...schema, table],
    columns,
    id: id.name,
    ...(isSerial && sequence.length <= MAX_NAME_LENGTH && { sequence: [...schema, sequence] }),
    indexes: datamodel.indexes
      .filter((index) => index.model === model.name && isPlain(index))
      .map(({ fields }) => fields.map(({ name }) => name)),
    relations: model.fields
      .filter(({ kind }) => kind === 'object')
      .map((field) => relationFrom(field, model, datamodel)),
  };
}

export function isPresent<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}

function isPlain({ type, algorithm, fields }: DMMF.Index): boolean {
  return (
    type !== 'fulltext' &&
    (algorithm === undefined || algorithm === 'BTree') &&
    fields.every(
      ({ sortOrder, operatorClass }) => sortOrder !== 'desc' && operatorClass === undefined,
    )
  );
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
    model: type,
    kind: isById ? (isList ? 'many' : 'one') : 'other',
    foreignKey: isById ? foreignKey : '',
  };
}
