import { type Arguments, isPlainObject } from '../calls.ts';
import { type ColumnType, enumType, typeOfScalar } from '../column-types.ts';

/** Which rows of a model a caller sees. */
interface RowRule<Context = never> {
  /** The columns that decide it. */
  readonly columns: readonly string[];
  /**
   * `true` for all rows, or the values that some of the columns have to equal: `{ ownerId: 7n }`, or one of several,
   * `{ ownerId: { in: [7n, 8n] } }`. Anything else is no row. It isn't awaited.
   */
  readonly where: (context: Context) => unknown;
}

/** By the names of models. */
export type RowRules<Context = never> = Readonly<Record<string, RowRule<Context>>>;

/** What Prisma's data model says of a field. */
export interface DataField {
  readonly name: string;
  /** `scalar`, `enum` or `object`, which is a relation. */
  readonly kind: string;
  /** That of a scalar, or the name of the other model. */
  readonly type: string;
  readonly isList: boolean;
  readonly isId: boolean;
  readonly isUnique: boolean;
  readonly hasDefaultValue: boolean;
  readonly relationFromFields?: readonly string[];
}

/** A model as Prisma's runtime data model has it, or its DMMF. */
export interface DataModel {
  readonly fields: readonly DataField[];
  readonly primaryKey: { readonly fields: readonly string[] } | null;
  readonly uniqueIndexes: readonly { readonly fields: readonly string[] }[];
}

/** By the names of models. */
export type DataModels = Readonly<Record<string, DataModel>>;

/** The values that a column may have, by the texts by which they are equal. */
export type Values = ReadonlyMap<string, unknown>;

/** Which rows a caller sees: by columns, one of whose values each row has. */
export type Condition = 'all' | 'none' | ReadonlyMap<string, Values>;

/** Makes a condition of what a rule says: whatever isn't understood is no row. */
function conditionFrom(answer: unknown, model: Model): Condition {
  if (answer === true) {
    return 'all';
  }
  if (answer instanceof Promise) {
    // Nobody awaits it.
    answer.catch(() => undefined);
  }
  const given = isPlainObject(answer) ? Object.entries(answer) : [];
  const condition = new Map<string, Values>();
  for (const [column, value] of given) {
    const values = model.rule?.columns.includes(column) === true && valuesOf(value, column, model);
    if (!values || values.size === 0) {
      return 'none';
    }
    condition.set(column, values);
  }
  return condition.size === 0 ? 'none' : condition;
}

/** The values of a condition of Prisma's that is a value, or a set of some; undefined for any other. */
export function valuesOf(value: unknown, column: string, { texts }: Model): Values | undefined {
  const textOf = texts.get(column);
  const isSet =
    isPlainObject(value) && Object.keys(value).length === 1 && Array.isArray(value['in']);
  const given: readonly unknown[] = isSet && Array.isArray(value['in']) ? value['in'] : [value];
  const values = new Map<string, unknown>();
  for (const each of given) {
    const text = textOf?.(each);
    if (text === undefined) {
      return undefined;
    }
    values.set(text, each);
  }
  return values;
}

/** Whether a row is one of those. */
export function holds(
  condition: Condition,
  row: Readonly<Record<string, unknown>>,
  { texts }: Model,
): boolean {
  if (typeof condition === 'string') {
    return condition === 'all';
  }
  for (const [column, values] of condition) {
    const text = texts.get(column)?.(row[column]);
    if (text === undefined || !values.has(text)) {
      return false;
    }
  }
  return true;
}

/** As Prisma's `where` has it. */
export function written(values: Values): unknown {
  const [value, ...others] = values.values();
  return others.length === 0 ? value : { in: [...values.values()] };
}

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

type Models = ReadonlyMap<string, Model>;

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
    throw new TypeError(`${name} has no column with which a condition could match no row`);
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
function typeOfField({ kind, type, isList }: DataField): ColumnType | undefined {
  if (isList || kind === 'object') {
    return undefined;
  }
  return kind === 'enum' ? enumType(type, {}) : typeOfScalar(type);
}

/**
 * What one caller sees.
 *
 * @internal
 */
export interface Sight {
  /** The model of this name. @throws TypeError if there is none */
  readonly modelOf: (name: string) => Model;
  /** What a row of the model has to fulfil to be seen; `all` without a rule. */
  readonly conditionOf: (model: Model) => Condition;
  readonly refusals: Refusals;
}

/** The errors of what a caller wants to write. They must be the same for a row that is hidden and one that isn't there. */
export interface Refusals {
  /** Of columns that would hide the row from the caller. */
  readonly value: (model: string, columns: readonly string[]) => Error;
  /** Of a column that refers to no row. */
  readonly reference: (model: string, column: string) => Error | Promise<Error>;
}

/**
 * What a caller sees of the models, by what their rules say.
 *
 * @param answerOf what a model's rule says to the caller
 * @param onRuledCall called whenever something depends on that
 * @internal
 */
export function sightOf(
  models: Models,
  answerOf: (model: string) => unknown,
  refusals: Refusals,
  onRuledCall: (model: string) => void,
): Sight {
  const conditions = new Map<Model, Condition>();
  return {
    modelOf: (name) => {
      const model = models.get(name);
      if (model === undefined) {
        throw new TypeError(`there is no model ${name}`);
      }
      return model;
    },
    conditionOf: (model) => {
      const { name, rule } = model;
      if (rule === undefined) {
        return 'all';
      }
      onRuledCall(name);
      let condition = conditions.get(model);
      if (condition === undefined) {
        condition = conditionFrom(answerOf(name), model);
        conditions.set(model, condition);
      }
      return condition;
    },
    refusals,
  };
}

/** Whether a relation of a model, by its field, is known to refer to the id of the other. */
type RefersToId = (model: string, field: string) => boolean;

/** Why rules can't be kept by these models, each with what to do; none if they can. */
export function ruleFaults(
  models: DataModels,
  rules: RowRules,
  refersToId: RefersToId,
): readonly string[] {
  const faults: string[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const model = models[name];
    if (model === undefined) {
      faults.push(`${name} has a rule, but there is no such model`);
    } else {
      faults.push(...columnFaults(name, model, rule), ...uniqueFaults(name, model, rule));
    }
  }
  return faults.concat(referenceFaults(models, rules, refersToId));
}

function columnFaults(name: string, { fields }: DataModel, { columns }: RowRule): string[] {
  if (columns.length === 0) {
    return [
      `visible.columns of ${name} is empty: name the columns that decide which rows are visible`,
    ];
  }
  return columns.flatMap((column) => {
    const field = fields.find((each) => each.name === column);
    if (field === undefined || field.kind === 'object') {
      return [
        `visible.columns of ${name} has ${column}, which is not a column: name a column of ${name}`,
      ];
    }
    return typeOfField(field)?.compare === undefined
      ? [
          `${name}.${column} can't decide which rows are visible, because it can't be compared exactly: use an integer, a text, an enum, a boolean, a Decimal or a time`,
        ]
      : [];
  });
}

/** A conflict would tell that a hidden row has the same values. */
function uniqueFaults(
  name: string,
  { fields, primaryKey, uniqueIndexes }: DataModel,
  { columns }: RowRule,
): string[] {
  const ids = fields.filter(({ isId, hasDefaultValue }) => isId && !hasDefaultValue);
  const unique = [
    ...fields.filter(({ isUnique, isId }) => isUnique && !isId).map((field) => [field.name]),
    ...ids.map((field) => [field.name]),
    ...uniqueIndexes.map((index) => index.fields),
    ...(primaryKey === null ? [] : [primaryKey.fields]),
  ];
  return unique
    .filter((constrained) => !columns.every((column) => constrained.includes(column)))
    .map((constrained) => {
      const missing = columns.filter((column) => !constrained.includes(column));
      const remedy = ids.some((field) => constrained.includes(field.name))
        ? `give it a default that generates its value`
        : `make it @@unique([${[...missing, ...constrained].join(', ')}])`;
      return `${name}.${constrained.join(', ')} is also unique among hidden rows, so a conflict would reveal them: ${remedy}`;
    });
}

/** To see whether what a foreign key refers to is visible, it is looked up by its id. */
function referenceFaults(models: DataModels, rules: RowRules, refersToId: RefersToId): string[] {
  return Object.entries(models).flatMap(([name, { fields }]) =>
    fields
      .filter(
        ({ name: field, kind, type, relationFromFields = [] }) =>
          kind === 'object' &&
          rules[type] !== undefined &&
          relationFromFields.length > 0 &&
          !(
            relationFromFields.length === 1 &&
            (hasOneKey(models[type]) || refersToId(name, field))
          ),
      )
      .map(
        ({ name: field, type }) =>
          `${name}.${field} refers to ${type}, which has hidden rows, by columns other than its id: make it refer to the id`,
      ),
  );
}

function hasOneKey(model: DataModel | undefined): boolean {
  return (
    model !== undefined &&
    model.primaryKey === null &&
    model.uniqueIndexes.length === 0 &&
    model.fields.filter(({ isId, isUnique }) => isId || isUnique).length === 1
  );
}
