import { isPlainObject, type Arguments } from '../arguments.ts';
import { membersOf } from './arguments.ts';
import { written } from './condition.ts';
import type { Call } from './call.ts';
import type { Relation } from './models.ts';

/**
 * The columns of a new row, so that the caller sees it: a column of its rule that isn't given gets the only value it may have.
 *
 * @throws a refusal if the row would be hidden, or refers to one that is
 */
export const newData = (call: Call, data: unknown): Promise<Arguments> =>
  visibleData(call, data, true);

/** The same of what changes of a row, so that the caller still sees it. */
export const changedData = (call: Call, data: unknown): Promise<Arguments> =>
  visibleData(call, data, false);

async function visibleData(call: Call, data: unknown, isNew: boolean): Promise<Arguments> {
  const { model } = call;
  const given = membersOf(data, 'data');
  for (const [field, { foreignKey }] of model.relations) {
    if (given[field] !== undefined) {
      throw new TypeError(
        `${model.name}.${field} can't be written with ${model.name}, as rows are hidden: ${foreignKey.length > 0 ? `give ${foreignKey.join(' and ')}` : 'write the other row by itself'}`,
      );
    }
  }
  const own = withinCondition(given, call, isNew);
  for (const relation of model.relations.values()) {
    await expectVisibleReference(own, relation, call);
  }
  return own;
}

function withinCondition(data: Arguments, { model, sight }: Call, isNew: boolean): Arguments {
  const condition = sight.conditionOf(model);
  if (condition === 'all') {
    return data;
  }
  if (model.id !== undefined && data[model.id] !== undefined) {
    throw new TypeError(
      `${model.name}.${model.id} would tell of hidden rows that have it: leave it to be generated`,
    );
  }
  if (condition === 'none') {
    // Whether the row that is to be changed is there or not, it is none.
    if (isNew) {
      throw sight.refusals.value(model.name, model.rule?.columns ?? []);
    }
    return data;
  }
  const filled: Record<string, unknown> = {};
  const refused: string[] = [];
  for (const [column, values] of condition) {
    const value = valueIn(data[column]);
    if (value === undefined && isNew && values.size === 1) {
      filled[column] = written(values);
    } else if (
      value === undefined ? isNew : !values.has(model.texts.get(column)?.(value) ?? '\0')
    ) {
      refused.push(column);
    }
  }
  if (refused.length > 0) {
    throw sight.refusals.value(model.name, refused);
  }
  return { ...data, ...filled };
}

/** A value that is given plainly, or as `{ set }`. Others, such as `{ increment }`, are no value that a rule allows. */
function valueIn(given: unknown): unknown {
  return isPlainObject(given) && Object.keys(given).join() === 'set' ? given['set'] : given;
}

async function expectVisibleReference(
  data: Arguments,
  { model: target, foreignKey }: Relation,
  call: Call,
): Promise<void> {
  const { model, sight } = call;
  const [column, ...others] = foreignKey;
  const value = column === undefined ? undefined : valueIn(data[column]);
  if (column === undefined || value == null) {
    return;
  }
  const referred = sight.modelOf(target);
  if (sight.conditionOf(referred) === 'all') {
    return;
  }
  if (others.length > 0 || isPlainObject(value)) {
    throw new TypeError(`${model.name}.${column} has to be given as the id of a visible ${target}`);
  }
  if ((await call.columnsOfRule(value, referred)) === undefined) {
    throw await sight.refusals.reference(model.name, column);
  }
}
