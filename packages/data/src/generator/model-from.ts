import type { DMMF } from '@prisma/generator-helper';
import type { Index, Model as WholeModel, Relation } from '../model.ts';
import { typeOf } from '../column-types.ts';
import { columnFrom } from './column-from.ts';

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
