import { type Arguments, isPlainObject, onlyIf } from '../arguments.ts';
import { elementsOf, isObject, membersOf } from './arguments.ts';
import { type Condition, holds, type Model, type Sight } from './rules.ts';
import { expectVisibleOrder, visibleWhere, withCondition } from './visible-where.ts';

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
  for (const [field, ofRelation] of relations) {
    seen[field] = visibleRow(value[field], ofRelation);
  }
  for (const [field, nothing] of unread) {
    seen[field] = nothing;
  }
  return seen;
}
