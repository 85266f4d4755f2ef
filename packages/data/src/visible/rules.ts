import { type Arguments, isPlainObject } from '../calls.ts';
import { type ColumnType, enumType, typeOfScalar } from '../column-types.ts';

/** A row rule: which rows of a model a caller may see. */
interface RowRule<Context = never> {
  /** The columns that decide whether a row is visible. */
  readonly columns: readonly string[];
  /**
   * Returns `true` for all rows, or the values that some of the columns must equal: `{ ownerId: 7n }`, or
   * `{ ownerId: { in: [7n, 8n] } }` for one of several. Anything else means no rows, including a promise, which isn't
   * awaited.
   */
  readonly where: (context: Context) => unknown;
}

/** Row rules by model name. */
export type RowRules<Context = never> = Readonly<Record<string, RowRule<Context>>>;

/** A field in Prisma's data model. */
export interface DataField {
  readonly name: string;
  /** `scalar`, `enum` or `object`, which is a relation. */
  readonly kind: string;
  /** The scalar's type, or the name of the enum or of the other model. */
  readonly type: string;
  readonly isList: boolean;
  readonly isId: boolean;
  readonly isUnique: boolean;
  readonly hasDefaultValue: boolean;
  readonly relationFromFields?: readonly string[];
}

/** A model in Prisma's runtime data model, or in its DMMF. */
export interface DataModel {
  readonly fields: readonly DataField[];
  readonly primaryKey: { readonly fields: readonly string[] } | null;
  readonly uniqueIndexes: readonly { readonly fields: readonly string[] }[];
}

/** Data models by name. */
export type DataModels = Readonly<Record<string, DataModel>>;

/** The values that a column may have, keyed by texts that are the same for equal values. */
export type Values = ReadonlyMap<string, unknown>;

/** Which rows a caller may see: all, none, or those that have one of the values in each column. */
export type Condition = 'all' | 'none' | ReadonlyMap<string, Values>;

/** Converts a rule's result to a condition. Anything invalid means no rows. */
function conditionFrom(answer: unknown, model: Model): Condition {
  if (answer === true) {
    return 'all';
  }
  if (answer instanceof Promise) {
    // Prevents an unhandled rejection.
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

/** Returns the values of a Prisma condition that is a value or a set; undefined for any other condition. */
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

/** Whether a row meets a condition. */
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

/** Converts a column's values to a condition of Prisma's `where`. */
export function written(values: Values): unknown {
  const [value, ...others] = values.values();
  return others.length === 0 ? value : { in: [...values.values()] };
}

export interface Relation {
  readonly model: string;
  readonly isList: boolean;
  /** The columns of the foreign key in this model; none if the other model has the foreign key. */
  readonly foreignKey: readonly string[];
}

/** Returns the same text for equal values of a column; undefined for anything that isn't a value of the column. */
type TextOf = (value: unknown) => string | undefined;

/** A model with hidden rows, or with relations that lead to such a model. */
export interface Model {
  readonly name: string;
  /** The id's field; undefined for a composite id. */
  readonly id: string | undefined;
  readonly columns: readonly string[];
  readonly relations: ReadonlyMap<string, Relation>;
  /** How each column's values are compared. */
  readonly texts: ReadonlyMap<string, TextOf>;
  readonly rule: RowRule | undefined;
  /** The condition that matches no row. An empty OR can't be used, because within an AND it matches any row in Prisma. */
  readonly nowhere: Arguments;
}

type Models = ReadonlyMap<string, Model>;

/** Returns the models whose calls could reveal hidden rows, by name. */
export function ruledModels(dataModels: DataModels, rules: RowRules): Models {
  const reached = new Set(Object.keys(rules));
  // Relations have a field on both sides, so this finds every model with a relation that leads to hidden rows.
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
    throw new TypeError(
      `${name} needs a single-column id, or a column that can be filtered with in, for a condition that matches no row`,
    );
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
 * Returns a column's type, which decides how its values are compared; undefined for a list or a relation. Prisma's data model
 * doesn't contain native types, so a scalar gets the type of a field without an attribute.
 */
function typeOfField({ kind, type, isList }: DataField): ColumnType | undefined {
  if (isList || kind === 'object') {
    return undefined;
  }
  return kind === 'enum' ? enumType(type, {}) : typeOfScalar(type);
}

/**
 * The models as a caller sees them.
 *
 * @internal
 */
export interface CallerView {
  /** Returns the model with this name. @throws TypeError if there is none */
  readonly modelOf: (name: string) => Model;
  /** Returns the condition that the model's visible rows meet; `all` if the model has no rule. */
  readonly conditionOf: (model: Model) => Condition;
  readonly refusals: Refusals;
}

/** Creates the errors for rejected writes. They must be the same for a hidden row and a missing one. */
export interface Refusals {
  /** Creates the error for column values that would hide the row from the caller. */
  readonly value: (model: string, columns: readonly string[]) => Error;
  /** Creates the error for a foreign key that doesn't refer to a visible row. */
  readonly reference: (model: string, column: string) => Error | Promise<Error>;
}

/**
 * Creates a caller's view of the models from the results of their rules.
 *
 * @param resultOf returns the result of a model's rule for the caller
 * @param onRuledCall called whenever a call depends on such a result
 * @internal
 */
export function callerViewOf(
  models: Models,
  resultOf: (model: string) => unknown,
  refusals: Refusals,
  onRuledCall: (model: string) => void,
): CallerView {
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
        condition = conditionFrom(resultOf(name), model);
        conditions.set(model, condition);
      }
      return condition;
    },
    refusals,
  };
}

/** Whether a model's relation is known to refer to the other model's id. The relation is given by its field. */
type RefersToId = (model: string, field: string) => boolean;

/** Returns why rules can't be enforced for these models, each reason with a remedy; none if they can. */
export function ruleFaults(
  models: DataModels,
  rules: RowRules,
  refersToId: RefersToId,
): readonly string[] {
  const faults: string[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const model = models[name];
    if (model === undefined) {
      faults.push(`there is a row rule for ${name}, but no such model`);
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
        `visible.columns of ${name} contains ${column}, which is not a column: name a column of ${name}`,
      ];
    }
    return typeOfField(field)?.compare === undefined
      ? [
          `${name}.${column} can't decide which rows are visible, because it can't be compared exactly: use an integer, a text, an enum, a boolean, a Decimal or a time`,
        ]
      : [];
  });
}

/** Finds unique constraints that include hidden rows. A conflict would reveal that a hidden row has the same values. */
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
      return `${name}.${constrained.join(', ')} is unique among all rows, so a conflict would reveal hidden rows: ${remedy}`;
    });
}

/** Finds foreign keys to columns other than an id, because the visibility of a referenced row is looked up by its id. */
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
