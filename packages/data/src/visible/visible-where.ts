import { isPlainObject, type Arguments } from '../arguments.ts';
import { elementsOf, membersOf } from './arguments.ts';
import {
  type Condition,
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
export function expectVisibleOrder(orderBy: unknown, model: Model, sight: Sight): void {
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
