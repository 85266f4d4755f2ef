import type { Arguments } from '../arguments.ts';
import { isInSets, textOfField, type TextOf } from './comparison.ts';
import type { DataModel, DataModels, RowRule, RowRules } from './rule.ts';

export interface Relation {
  readonly model: string;
  readonly isList: boolean;
  /** The columns of this model that hold it; none if the other model's do. */
  readonly foreignKey: readonly string[];
}

/** A model of which rows are hidden, or that leads to one by its relations. */
export interface Model {
  readonly name: string;
  /** What Prisma's client calls it. */
  readonly key: string;
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

/** The models whose calls can tell of rows that are hidden, by what the client calls them. */
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
      const textOf = textOfField(field);
      if (textOf !== undefined) {
        texts.set(fieldName, textOf);
      }
    }
  }
  const id = fields.find(({ isId }) => isId)?.name;
  const compared = id ?? fields.find(isInSets)?.name;
  if (compared === undefined) {
    throw new TypeError(`${name} has no column that could be compared with those of no row`);
  }
  return {
    name,
    key: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    id,
    columns,
    relations,
    texts,
    rule,
    nowhere: { [compared]: { in: [] } },
  };
}
