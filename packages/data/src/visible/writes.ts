import { isMissingRow, presentRow } from '../prisma-internals.ts';
import { isPlainObject, type Arguments } from '../arguments.ts';
import { elementsOf, isObject, membersOf } from './arguments.ts';
import { callMethod } from '../engine.ts';
import type { Call } from './call.ts';
import { holds, type Condition } from './condition.ts';
import type { Operation } from './reads.ts';
import { changedData, newData } from './visible-data.ts';
import { visibleRow } from './visible-row.ts';
import { visibleSelection } from './visible-selection.ts';
import {
  uniqueWithCondition,
  visibleFilters,
  visibleWhere,
  withCondition,
} from './visible-where.ts';

const create: Operation = async (call, args) =>
  call.select('create', { ...args, data: await newData(call, args['data']) });

const createMany =
  (operation: string): Operation =>
  async (call, args) => {
    if (args['skipDuplicates'] === true && isRestricted(call)) {
      throw new TypeError(
        `${operation} would tell of hidden rows of ${call.model.name} by what it skips: do without skipDuplicates`,
      );
    }
    const data = [];
    for (const each of elementsOf(args['data'])) {
      data.push(await newData(call, each));
    }
    return call.select(operation, { ...args, data });
  };

const update: Operation = async (call, args) => {
  const data = await changedData(call, args['data']);
  return call.select('update', { ...args, data, where: await whereOfOne(call, args) });
};

const deleteOne: Operation = async (call, args) =>
  call.select('delete', { ...args, where: await whereOfOne(call, args) });

const updateMany =
  (operation: string): Operation =>
  async (call, args) => {
    const data = await changedData(call, args['data']);
    const where = visibleWhere(args['where'], call.model, call.sight);
    return call.select(operation, { ...args, data, where });
  };

const deleteMany: Operation = (call, args) =>
  call.ask('deleteMany', { ...args, where: visibleWhere(args['where'], call.model, call.sight) });

const upsert: Operation = async (call, args) => {
  if (isRestricted(call)) {
    throw new TypeError(
      `upsert would tell of a hidden ${call.model.name} that has its key: update it, or create one`,
    );
  }
  const where = visibleFilters(membersOf(args['where'], 'where'), call.model, call.sight);
  const data = {
    create: await newData(call, args['create']),
    update: await changedData(call, args['update']),
  };
  return call.select('upsert', { ...args, ...data, where });
};

function isRestricted({ model, sight }: Call): boolean {
  return sight.conditionOf(model) !== 'all';
}

/**
 * The `where` of a visible row by its unique columns. Statements compare columns with one value: of a row that may have one of
 * several, they compare that which it has.
 */
async function whereOfOne(call: Call, args: Arguments): Promise<Arguments> {
  const { model, sight } = call;
  const where = visibleFilters(membersOf(args['where'], 'where'), model, sight);
  const condition = sight.conditionOf(model);
  const { id = '' } = model;
  const value = where[id];
  if (condition === 'all') {
    return where;
  }
  if (value === undefined || isPlainObject(value)) {
    const visible = uniqueWithCondition(where, condition, model);
    return visible === model.nowhere ? { ...where, AND: [model.nowhere] } : visible;
  }
  const asItIs = await conditionOfRow(call, condition, value);
  const only = asItIs && withCondition(where, asItIs, model);
  return only === undefined || only === model.nowhere
    ? // As statements take it.
      { ...where, NOT: { [id]: value } }
    : only;
}

/** The condition that a row is visible, with one value for each column; undefined if it isn't. */
async function conditionOfRow(
  call: Call,
  condition: Condition,
  value: unknown,
): Promise<Condition | undefined> {
  if (condition === 'none') {
    return undefined;
  }
  if (typeof condition === 'string' || [...condition.values()].every(({ size }) => size === 1)) {
    return condition;
  }
  const row = await call.columnsOfRule(value);
  return (
    row &&
    new Map(
      [...condition].map(([column, values]) => {
        const text = call.model.texts.get(column)?.(row[column]) ?? '';
        return [column, new Map([[text, values.get(text)]])];
      }),
    )
  );
}

export const WRITES = {
  create,
  createMany: createMany('createMany'),
  createManyAndReturn: createMany('createManyAndReturn'),
  update,
  updateMany: updateMany('updateMany'),
  updateManyAndReturn: updateMany('updateManyAndReturn'),
  upsert,
  delete: deleteOne,
  deleteMany,
};

/**
 * A write under an idempotency key (deduplicating-client.ts). What was done before is shown only if the caller sees it: a row as it
 * was then, and as it is now, unless it was deleted.
 */
const once =
  (operation: string, argsOf: (call: Call, args: Arguments) => Promise<Arguments>): Operation =>
  async (call, given) => {
    const { model, sight } = call;
    const { id = '' } = model;
    const deduplication = membersOf(given['deduplication'], 'deduplication');
    const { onReplay } = deduplication;
    let isReplay = false;
    let refusal: Error | undefined;
    const own = await argsOf(call, given).catch((error: unknown) => {
      // What was done before is answered as it was done then.
      refusal = error instanceof Error ? error : new Error('refused', { cause: error });
      return { isReplayOnly: true };
    });
    const { args, view } = visibleSelection(
      {
        ...given,
        ...own,
        deduplication: {
          ...deduplication,
          onReplay: () => (isReplay = true),
          // One that is gone is as good as hidden, where it may be hidden.
          goneError: (name: string) =>
            sight.conditionOf(sight.modelOf(name)) === 'all'
              ? callMethod(deduplication, 'goneError', [name])
              : undefined,
        },
      },
      model,
      sight,
      { isChecked: true, columns: [id] },
    );
    const row = await call.ask(operation, args).catch((error: unknown) => {
      throw refusal !== undefined && isMissingRow(error) ? refusal : error;
    });
    const condition = sight.conditionOf(model);
    const isVisible =
      isObject(row) &&
      holds(condition, row, model) &&
      (!isReplay ||
        condition === 'all' ||
        operation === 'deleteOnce' ||
        (await call.columnsOfRule(row[id])) !== undefined);
    const seen = presentRow(isVisible ? row : undefined, 'query', model.name);
    if (isReplay && onReplay !== undefined) {
      callMethod(deduplication, 'onReplay', []);
    }
    return visibleRow(seen, view);
  };

export const WRITES_ONCE = {
  createOnce: once('createOnce', async (call, { data }) => ({ data: await newData(call, data) })),
  updateOnce: once('updateOnce', async (call, args) => ({
    data: await changedData(call, args['data']),
    where: await whereOfOne(call, args),
  })),
  deleteOnce: once('deleteOnce', async (call, args) => ({ where: await whereOfOne(call, args) })),
};
