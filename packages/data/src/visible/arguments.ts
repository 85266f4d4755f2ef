import { type Arguments, isPlainObject, onlyIf } from '../calls.ts';
import {
  type Condition,
  holds,
  type Model,
  type Relation,
  type Sight,
  type Values,
  valuesOf,
  written,
} from './rules.ts';

const LOGICAL = new Set(['AND', 'OR', 'NOT']);

/** A `where` of the rows among these that a caller sees. `model.nowhere` if there is none. */
export function visibleWhere(where: unknown, model: Model, sight: Sight): Arguments {
  const condition = sight.conditionOf(model);
  const given = visibleFilters(membersOf(where, 'where'), model, sight);
  return condition === 'none' ? model.nowhere : withCondition(given, condition, model);
}

/**
 * A `where` of one row that a caller sees, by its unique columns. The condition joins an id, as statements read it. With other unique
 * columns it goes into `AND`, so that Prisma doesn't take it for the row's key. `model.nowhere` if the caller sees no row.
 */
export function visibleUnique(where: unknown, model: Model, sight: Sight): Arguments {
  const given = visibleFilters(membersOf(where, 'where'), model, sight);
  return uniqueWithCondition(given, sight.conditionOf(model), model);
}

/** The same, whose filters by relations are of visible rows already. */
export function uniqueWithCondition(
  where: Arguments,
  condition: Condition,
  model: Model,
): Arguments {
  if (typeof condition === 'string' || (model.id !== undefined && where[model.id] !== undefined)) {
    return withCondition(where, condition, model);
  }
  const apart = withCondition({}, condition, model);
  return { ...where, AND: [...elementsOf(where['AND']), apart] };
}

/** The same `where`, whose filters by relations are of visible rows: other rows would be guessed by them. */
export function visibleFilters(where: Arguments, model: Model, sight: Sight): Arguments {
  let changed: Record<string, unknown> | undefined;
  for (const name in where) {
    const value = where[name];
    const relation = model.relations.get(name);
    const visible =
      relation !== undefined
        ? ofRelation(value, `${model.name}.${name}`, relation, sight)
        : LOGICAL.has(name)
          ? ofLogical(value, model, sight)
          : value;
    if (visible !== value) {
      changed ??= { ...where };
      changed[name] = visible;
    }
  }
  return changed ?? where;
}

/** The same array, if nothing of it changes: statements know some conditions by it. */
function ofLogical(value: unknown, model: Model, sight: Sight): unknown {
  if (value === undefined) {
    return value;
  }
  if (!Array.isArray(value)) {
    return visibleFilters(membersOf(value, 'a condition'), model, sight);
  }
  const given: readonly unknown[] = value;
  const visible = given.map((each) => visibleFilters(membersOf(each, 'a condition'), model, sight));
  return visible.every((each, index) => each === given[index]) ? value : visible;
}

function ofRelation(value: unknown, name: string, relation: Relation, sight: Sight): unknown {
  if (value === undefined) {
    return value;
  }
  const target = sight.modelOf(relation.model);
  const condition = sight.conditionOf(target);
  const refuse = (how: string): never => {
    throw new TypeError(
      `a filter by ${name} with ${how} would reveal hidden rows of ${target.name}: use ${relation.isList ? 'some or none' : 'is'} instead`,
    );
  };
  const filter = (operator: string, given: unknown): unknown => {
    if (given === undefined) {
      return given;
    }
    if (given !== null && /^(?:some|none|is)$/.test(operator)) {
      return visibleWhere(given, target, sight);
    }
    if (condition !== 'all') {
      return refuse(given === null ? 'null' : operator);
    }
    return given === null ? given : visibleFilters(membersOf(given, name), target, sight);
  };
  if (value === null) {
    return filter('is', value);
  }
  const members = membersOf(value, name);
  if (!relation.isList && !('is' in members) && !('isNot' in members)) {
    return filter('is', members);
  }
  return Object.fromEntries(
    Object.entries(members).map(([operator, given]) => [operator, filter(operator, given)]),
  );
}

/** Conditions that statements answer stay beside the others; those of the same column become what both allow. */
export function withCondition(where: Arguments, condition: Condition, model: Model): Arguments {
  if (typeof condition === 'string') {
    return condition === 'all' ? where : model.nowhere;
  }
  const visible: Record<string, unknown> = { ...where };
  const others: unknown[] = [];
  for (const [column, values] of condition) {
    const given = where[column];
    const both = given === undefined ? values : common(valuesOf(given, column, model), values);
    if (both === undefined || (both.size > 1 && [...both.values()].includes(true))) {
      // Prisma has no sets of booleans.
      others.push({ OR: [...values.values()].map((value) => ({ [column]: value })) });
    } else if (both.size === 0) {
      return model.nowhere;
    } else {
      visible[column] = written(both);
    }
  }
  if (others.length > 0) {
    visible['AND'] = [...elementsOf(where['AND']), ...others];
  }
  return visible;
}

function common(given: Values | undefined, values: Values): Values | undefined {
  return given && new Map([...given].filter(([text]) => values.has(text)));
}

/** @throws TypeError for an order that would tell of hidden rows */
function expectVisibleOrder(orderBy: unknown, model: Model, sight: Sight): void {
  for (const order of elementsOf(orderBy)) {
    for (const [name, value] of isPlainObject(order) ? Object.entries(order) : []) {
      const relation = model.relations.get(name);
      if (relation !== undefined && value !== undefined) {
        const target = sight.modelOf(relation.model);
        if (sight.conditionOf(target) !== 'all') {
          throw new TypeError(
            `ordering by ${model.name}.${name} would reveal hidden rows of ${target.name}: order by a column of ${model.name}`,
          );
        }
        expectVisibleOrder(value, target, sight);
      }
    }
  }
}

/** What is still to be done with rows that a selection has read. */
interface View {
  readonly model: Model;
  /** What a row has to be like to be seen. */
  readonly condition: Condition;
  /** What has only been read for that. */
  readonly added: readonly string[];
  readonly relations: readonly (readonly [field: string, view: View])[];
  /** Relations that weren't read, as nothing of them is visible: what they have instead, null or an empty list. */
  readonly unread: readonly (readonly [field: string, nothing: null | readonly []])[];
}

interface Selection {
  readonly args: Arguments;
  /** Undefined for rows that are to be given as they are. */
  readonly view: View | undefined;
}

interface Options {
  /** Whether rows are still to be looked at, as no `where` has left out those that are hidden. Defaults to no. */
  readonly isChecked?: boolean;
  /** Columns that are read in any case. */
  readonly columns?: readonly string[];
}

const WHOLE = { added: [], relations: [], unread: [] };

/** Makes the `select` or `include` of a call one of visible rows. Other arguments stay as they are. */
export function visibleSelection(
  args: Arguments,
  model: Model,
  sight: Sight,
  { isChecked = false, columns = [] }: Options = {},
): Selection {
  if (elementsOf(args['omit']).length > 0) {
    throw new TypeError(
      `omit can't be used with ${model.name}, which has hidden rows: use select instead`,
    );
  }
  const condition = isChecked ? sight.conditionOf(model) : 'all';
  if (args['select'] == null && args['include'] == null) {
    // Rows are read whole.
    return { args, view: condition === 'all' ? undefined : { model, condition, ...WHOLE } };
  }
  const { select, include, ...others } = args;
  if (select != null && include != null) {
    throw new TypeError(`${model.name} can't be read with both select and include`);
  }
  const name = select == null ? 'include' : 'select';
  const given = membersOf(args[name] ?? undefined, name);
  const selected: Record<string, unknown> = { ...given };
  const added: string[] = [];
  const relations: (readonly [string, View])[] = [];
  const unread: (readonly [string, null | readonly []])[] = [];
  for (const field in given) {
    const relation = model.relations.get(field);
    const value = given[field];
    if (field === '_count') {
      selected[field] = visibleCounts(value, model, sight);
    } else if (relation !== undefined && value != null && value !== false) {
      const target = sight.modelOf(relation.model);
      const nested = value === true ? {} : membersOf(value, field);
      const listed = relation.isList
        ? visibleList(nested, target, sight)
        : visibleOne(nested, target, sight);
      if (listed === undefined) {
        delete selected[field];
        unread.push([field, relation.isList ? [] : null]);
        continue;
      }
      const { args: read, view } = visibleSelection(listed, target, sight, {
        isChecked: !relation.isList,
      });
      selected[field] = relation.isList ? read : onlyVisible(read, target, sight);
      if (view !== undefined) {
        relations.push([field, view]);
      }
    }
  }
  if (name === 'select') {
    const needed = [...columns, ...(typeof condition === 'string' ? [] : condition.keys())];
    // Prisma reads no row of which nothing is selected.
    const [first] = model.columns;
    const isEmpty =
      unread.length > 0 &&
      Object.values(selected).every((value) => value !== true && !isPlainObject(value));
    for (const column of isEmpty && first !== undefined ? [...needed, first] : needed) {
      if (selected[column] !== true) {
        selected[column] = true;
        added.push(column);
      }
    }
  }
  const isAsItIs = condition === 'all' && added.length + relations.length + unread.length === 0;
  const isEmptyInclude = name === 'include' && Object.keys(selected).length === 0;
  return {
    args: isEmptyInclude ? others : { ...others, [name]: selected },
    view: isAsItIs ? undefined : { model, condition, added, relations, unread },
  };
}

/** The arguments of a list of a relation; undefined if nothing of it is visible. */
function visibleList(args: Arguments, target: Model, sight: Sight): Arguments | undefined {
  const listed = visiblePage(args, target, sight);
  return listed['where'] === target.nowhere ? undefined : listed;
}

/** The same arguments, of the visible rows only. @throws TypeError for what would tell of others */
export function visiblePage(args: Arguments, model: Model, sight: Sight): Arguments {
  const where = visibleWhere(args['where'], model, sight);
  expectVisibleOrder(args['orderBy'], model, sight);
  if (args['cursor'] !== undefined && sight.conditionOf(model) !== 'all') {
    throw new TypeError(
      `a cursor would reveal hidden rows of ${model.name}: use a where that compares the columns of the order`,
    );
  }
  return args['where'] === undefined && Object.keys(where).length === 0 ? args : { ...args, where };
}

/** The arguments of a relation to one row; undefined if the caller sees no row of its model. */
function visibleOne(args: Arguments, target: Model, sight: Sight): Arguments | undefined {
  if (sight.conditionOf(target) === 'none') {
    return undefined;
  }
  return args['where'] === undefined ? args : visiblePage(args, target, sight);
}

/** Statements read the row only if it is visible. Prisma's engine can't, so that what it has read is looked at afterwards. */
function onlyVisible(args: Arguments, target: Model, sight: Sight): Arguments {
  return onlyIf(args, withCondition({}, sight.conditionOf(target), target));
}

function visibleCounts(value: unknown, model: Model, sight: Sight): unknown {
  const lists = [...model.relations].filter(([, { isList }]) => isList);
  const selected =
    value === true
      ? Object.fromEntries(lists.map(([field]) => [field, true]))
      : isPlainObject(value)
        ? membersOf(value['select'], '_count.select')
        : {};
  const counts: Record<string, unknown> = {};
  for (const [field, { model: target }] of lists) {
    if (selected[field] !== undefined && selected[field] !== false) {
      const given = selected[field] === true ? {} : membersOf(selected[field], field);
      const args = visiblePage(given, sight.modelOf(target), sight);
      counts[field] = Object.keys(args).length === 0 ? true : args;
    }
  }
  return Object.keys(counts).length === 0 ? value : { select: counts };
}

/** What a caller gets of a row or of rows that have been read: null for one that is hidden from it, or isn't there. */
export function visibleRow(value: unknown, view: View | undefined): unknown {
  if (view === undefined) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((row: unknown) => visibleRow(row, view));
  }
  if (!isObject(value) || !holds(view.condition, value, view.model)) {
    return null;
  }
  const { added, relations, unread } = view;
  if (added.length + relations.length + unread.length === 0) {
    return value;
  }
  const seen: Record<string, unknown> = { ...value };
  for (const column of added) {
    delete seen[column];
  }
  for (const [field, related] of relations) {
    seen[field] = visibleRow(value[field], related);
  }
  for (const [field, nothing] of unread) {
    seen[field] = nothing;
  }
  return seen;
}

export function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null;
}

/** @throws TypeError if what Prisma might read can't be read here */
export function membersOf(value: unknown, name: string): Arguments {
  if (value === undefined) {
    return {};
  }
  if (!isPlainObject(value)) {
    throw new TypeError(`${name} must be a plain object`);
  }
  return value;
}

/** The elements of an array, or the value itself; none of undefined. */
export function elementsOf(value: unknown): readonly unknown[] {
  if (value === undefined) {
    return [];
  }
  return Array.isArray(value) ? value : [value];
}
