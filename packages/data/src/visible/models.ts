import type { Arguments } from '../arguments.ts';
import { typeOfScalar } from '../column-types.ts';
import { enumType, type ColumnType } from '../types.ts';
import type { DataField, DataModel, DataModels, RowRule, RowRules } from './rule.ts';

export interface Relation {
  readonly model: string;
  readonly isList: boolean;
  /** The columns of this model that hold it; none if the other model's do. */
  readonly foreignKey: readonly string[];
}

/** A text by which values of a column are equal; undefined for what is none of its values. */
type TextOf = (value: unknown) => string | undefined;

/** A model of which rows are hidden, or that leads to one by its relations. */
export interface Model {
  readonly name: string;
  /** Undefined if it has several columns. */
  readonly id: string | undefined;
  readonly columns: readonly string[];
  readonly relations: ReadonlyMap<string, Relation>;
  /** How values are compared, by columns. */
  readonly texts: ReadonlyMap<string, TextOf>;
  readonly rule: RowRule | undefined;
  /** The condition of no row. Prisma takes an empty OR within an AND for any row. */
  readonly nowhere: Arguments;
}

export type Models = ReadonlyMap<string, Model>;

/** The models whose calls can tell of rows that are hidden, by their names. */
export function ruledModels(dataModels: DataModels, rules: RowRules): Models {
  const reached = new Set(Object.keys(rules));
  // Relations have a field on either side.
  for (const name of reached) {
    for (const { kind, type } of dataModels[name]?.fields ?? []) {
      if (kind === 'object') {
        reached.add(type);
      }
    }
  }
  const models = new Map<string, Model>();
  for (const name of reached) {
    const dataModel = dataModels[name];
    if (dataModel !== undefined) {
      models.set(name, modelOf(name, dataModel, rules[name]));
    }
  }
  return models;
}

function modelOf(name: string, { fields }: DataModel, rule: RowRule | undefined): Model {
  const texts = new Map<string, TextOf>();
  const relations = new Map<string, Relation>();
  const columns: string[] = [];
  for (const field of fields) {
    const { name: fieldName, kind, type, isList, relationFromFields = [] } = field;
    if (kind === 'object') {
      relations.set(fieldName, { model: type, isList, foreignKey: relationFromFields });
    } else {
      columns.push(fieldName);
      const textOf = typeOfField(field)?.compare;
      if (textOf !== undefined) {
        texts.set(fieldName, textOf);
      }
    }
  }
  const id = fields.find(({ isId }) => isId)?.name;
  const isInSets = (field: DataField): boolean =>
    texts.has(field.name) && typeOfField(field)?.filters.includes('in') === true;
  const compared = id ?? fields.find(isInSets)?.name;
  if (compared === undefined) {
    throw new TypeError(`${name} has no column that could be compared with those of no row`);
  }
  return {
    name,
    id,
    columns,
    relations,
    texts,
    rule,
    nowhere: { [compared]: { in: [] } },
  };
}

/**
 * The type of a column, which says how its values are compared. Prisma's data model doesn't say how a scalar is stored: as one
 * without an attribute. Undefined for a list or a relation.
 */
export function typeOfField({ kind, type, isList }: DataField): ColumnType | undefined {
  if (isList || kind === 'object') {
    return undefined;
  }
  return kind === 'enum' ? enumType(type, {}) : typeOfScalar(type);
}
