import { type Arguments, isPlainObject, onlyIf } from '../calls.ts';
import {
  type Condition,
  holds,
  type Model,
  type Relation,
  type CallerView,
  type Values,
  valuesOf,
  written,
} from './rules.ts';

const LOGICAL = new Set(['AND', 'OR', 'NOT']);

/** Restricts a `where` to rows that the caller may see. Returns `model.nowhere` if the caller may see no rows. */
export function visibleWhere(where: unknown, model: Model, callerView: CallerView): Arguments {
  const condition = callerView.conditionOf(model);
  const given = visibleFilters(membersOf(where, 'where'), model, callerView);
  return condition === 'none' ? model.nowhere : withCondition(given, condition, model);
}

/**
 * Restricts a `where` by unique columns to rows that the caller may see. If the `where` has an id, the condition is added next
 * to it, because statements support that. For other unique columns, the condition goes into `AND`, so that Prisma doesn't treat
 * it as part of the key. Returns `model.nowhere` if the caller may see no row.
 */
export function visibleUnique(where: unknown, model: Model, callerView: CallerView): Arguments {
  const given = visibleFilters(membersOf(where, 'where'), model, callerView);
  return uniqueWithCondition(given, callerView.conditionOf(model), model);
}

/** Like `visibleUnique`, for a `where` whose relation filters are already restricted to visible rows. */
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

/** Restricts the relation filters of a `where` to visible rows. Otherwise, filters could reveal hidden rows. */
export function visibleFilters(where: Arguments, model: Model, callerView: CallerView): Arguments {
  let changed: Record<string, unknown> | undefined;
  for (const name in where) {
    const value = where[name];
    const relation = model.relations.get(name);
    const visible =
      relation !== undefined
        ? ofRelation(value, `${model.name}.${name}`, relation, callerView)
        : LOGICAL.has(name)
          ? ofLogical(value, model, callerView)
          : value;
    if (visible !== value) {
      changed ??= { ...where };
      changed[name] = visible;
    }
  }
  return changed ?? where;
}

/** Returns the same array if nothing in it changes, because statements recognize some conditions by the array's identity. */
function ofLogical(value: unknown, model: Model, callerView: CallerView): unknown {
  if (value === undefined) {
    return value;
  }
  if (!Array.isArray(value)) {
    return visibleFilters(membersOf(value, 'a condition'), model, callerView);
  }
  const given: readonly unknown[] = value;
  const visible = given.map((each) =>
    visibleFilters(membersOf(each, 'a condition'), model, callerView),
  );
  return visible.every((each, index) => each === given[index]) ? value : visible;
}

function ofRelation(
  value: unknown,
  name: string,
  relation: Relation,
  callerView: CallerView,
): unknown {
  if (value === undefined) {
    return value;
  }
  const target = callerView.modelOf(relation.model);
  const condition = callerView.conditionOf(target);
  const refuse = (how: string): never => {
    throw new TypeError(
      `filtering ${name} by "${how}" would reveal hidden rows of ${target.name}: use ${relation.isList ? 'some or none' : 'is'} instead`,
    );
  };
  const filter = (operator: string, given: unknown): unknown => {
    if (given === undefined) {
      return given;
    }
    if (given !== null && /^(?:some|none|is)$/.test(operator)) {
      return visibleWhere(given, target, callerView);
    }
    if (condition !== 'all') {
      return refuse(given === null ? 'null' : operator);
    }
    return given === null ? given : visibleFilters(membersOf(given, name), target, callerView);
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

/**
 * Adds a condition to a `where`: directly, rather than in `AND`, if statements support the condition. If the `where` already
 * compares the same column, only values that both allow remain.
 */
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
      // Prisma doesn't support `in` for booleans.
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

/** @throws TypeError for an order that would reveal hidden rows */
function expectVisibleOrder(orderBy: unknown, model: Model, callerView: CallerView): void {
  for (const order of elementsOf(orderBy)) {
    for (const [name, value] of isPlainObject(order) ? Object.entries(order) : []) {
      const relation = model.relations.get(name);
      if (relation !== undefined && value !== undefined) {
        const target = callerView.modelOf(relation.model);
        if (callerView.conditionOf(target) !== 'all') {
          throw new TypeError(
            `ordering by ${model.name}.${name} would reveal hidden rows of ${target.name}: order by a column of ${model.name}`,
          );
        }
        expectVisibleOrder(value, target, callerView);
      }
    }
  }
}

/** How selected rows are converted to what the caller may see. */
interface View {
  readonly model: Model;
  /** The condition that visible rows meet. */
  readonly condition: Condition;
  /** Columns that were added to the selection, and that the caller must not receive. */
  readonly added: readonly string[];
  readonly relations: readonly (readonly [field: string, view: View])[];
  /** Relations that weren't read because none of their rows are visible, with the value to return: null or an empty list. */
  readonly unread: readonly (readonly [field: string, nothing: null | readonly []])[];
}

interface Selection {
  readonly args: Arguments;
  /** How the rows are converted; undefined if they need not be converted. */
  readonly view: View | undefined;
}

interface Options {
  /** Whether rows are checked after they are read, because no `where` has excluded hidden ones. Defaults to false. */
  readonly isChecked?: boolean;
  /** Columns that are always read. */
  readonly columns?: readonly string[];
}

const WHOLE = { added: [], relations: [], unread: [] };

/** Restricts the `select` or `include` of a call to visible rows. Other arguments stay unchanged. */
export function visibleSelection(
  args: Arguments,
  model: Model,
  callerView: CallerView,
  { isChecked = false, columns = [] }: Options = {},
): Selection {
  if (elementsOf(args['omit']).length > 0) {
    throw new TypeError(
      `omit can't be used with ${model.name}, which has hidden rows: use select instead`,
    );
  }
  const condition = isChecked ? callerView.conditionOf(model) : 'all';
  if (args['select'] == null && args['include'] == null) {
    // Without a selection, whole rows are read.
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
      selected[field] = visibleCounts(value, model, callerView);
    } else if (relation !== undefined && value != null && value !== false) {
      const target = callerView.modelOf(relation.model);
      const nested = value === true ? {} : membersOf(value, field);
      const listed = relation.isList
        ? visibleList(nested, target, callerView)
        : visibleOne(nested, target, callerView);
      if (listed === undefined) {
        delete selected[field];
        unread.push([field, relation.isList ? [] : null]);
        continue;
      }
      const { args: read, view } = visibleSelection(listed, target, callerView, {
        isChecked: !relation.isList,
      });
      selected[field] = relation.isList ? read : onlyVisible(read, target, callerView);
      if (view !== undefined) {
        relations.push([field, view]);
      }
    }
  }
  if (name === 'select') {
    const needed = [...columns, ...(typeof condition === 'string' ? [] : condition.keys())];
    // Prisma can't read a row without selecting anything.
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

/** Returns a list relation's arguments, restricted to visible rows; undefined if none of its rows are visible. */
function visibleList(
  args: Arguments,
  target: Model,
  callerView: CallerView,
): Arguments | undefined {
  const listed = visiblePage(args, target, callerView);
  return listed['where'] === target.nowhere ? undefined : listed;
}

/** Restricts arguments to visible rows. @throws TypeError for arguments that would reveal hidden rows */
export function visiblePage(args: Arguments, model: Model, callerView: CallerView): Arguments {
  const where = visibleWhere(args['where'], model, callerView);
  expectVisibleOrder(args['orderBy'], model, callerView);
  if (args['cursor'] !== undefined && callerView.conditionOf(model) !== 'all') {
    throw new TypeError(
      `a cursor would reveal hidden rows of ${model.name}: compare the ordered columns in where instead`,
    );
  }
  return args['where'] === undefined && Object.keys(where).length === 0 ? args : { ...args, where };
}

/** Returns a to-one relation's arguments; undefined if the caller may see no rows of its model. */
function visibleOne(args: Arguments, target: Model, callerView: CallerView): Arguments | undefined {
  if (callerView.conditionOf(target) === 'none') {
    return undefined;
  }
  return args['where'] === undefined ? args : visiblePage(args, target, callerView);
}

/**
 * Makes statements read the row only if it is visible. Prisma's engine can't do that, so its results are checked afterwards.
 */
function onlyVisible(args: Arguments, target: Model, callerView: CallerView): Arguments {
  return onlyIf(args, withCondition({}, callerView.conditionOf(target), target));
}

function visibleCounts(value: unknown, model: Model, callerView: CallerView): unknown {
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
      const args = visiblePage(given, callerView.modelOf(target), callerView);
      counts[field] = Object.keys(args).length === 0 ? true : args;
    }
  }
  return Object.keys(counts).length === 0 ? value : { select: counts };
}

/** Converts rows to what the caller may see: null for a row that is hidden or missing. */
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

/** Returns an argument's members; none if it is undefined. @throws TypeError if it isn't a plain object */
export function membersOf(value: unknown, name: string): Arguments {
  if (value === undefined) {
    return {};
  }
  if (!isPlainObject(value)) {
    throw new TypeError(`${name} must be a plain object`);
  }
  return value;
}

/** Returns the elements of an array, or the value itself; none for undefined. */
export function elementsOf(value: unknown): readonly unknown[] {
  if (value === undefined) {
    return [];
  }
  return Array.isArray(value) ? value : [value];
}
