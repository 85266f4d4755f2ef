import { type Arguments, isPlainObject } from '../arguments.ts';
import { elementsOf, isObject, membersOf } from './arguments.ts';
import { callEngine, callMethod } from '../engine.ts';
import { keyOf } from '../model.ts';
import { type Condition, holds, type Model, type Relation, type Sight, written } from './rules.ts';
import { visiblePage, visibleRow, visibleSelection } from './visible-selection.ts';
import {
  uniqueWithCondition,
  visibleFilters,
  visibleUnique,
  visibleWhere,
  withCondition,
} from './visible-where.ts';
import { isMissingRow, presentRow } from '../prisma-internals.ts';

/** A call of a model's method, by the client or in one of its transactions. */
export class Call {
  readonly #client: object;
  readonly model: Model;
  readonly sight: Sight;

  constructor(client: object, model: Model, sight: Sight) {
    this.#client = client;
    this.model = model;
    this.sight = sight;
  }

  async ask(operation: string, args: Arguments, model = this.model): Promise<unknown> {
    return await callEngine(this.#client, keyOf(model.name), operation, args);
  }

  /** Asks for rows that are surely visible: of others, they have what the caller sees. */
  async select(operation: string, given: Arguments): Promise<unknown> {
    const { args, view } = visibleSelection(given, this.model, this.sight);
    return visibleRow(await this.ask(operation, args), view);
  }

  /** The columns that its rule is about of the row with this id; undefined if it isn't visible. */
  async columnsOfRule(value: unknown, model = this.model): Promise<Arguments | undefined> {
    const { id = '' } = model;
    const where = visibleWhere({ [id]: value }, model, this.sight);
    if (where === model.nowhere) {
      return undefined;
    }
    const columns = [id, ...(model.rule?.columns ?? [])];
    const select = Object.fromEntries(columns.map((column) => [column, true]));
    const row = await this.ask('findUnique', { where, select }, model);
    return isObject(row) ? row : undefined;
  }
}

/**
 * The columns of a new row, so that the caller sees it: a column of its rule that isn't given gets the only value it may have.
 *
 * @throws a refusal if the row would be hidden, or refers to one that is
 */
const newData = (call: Call, data: unknown): Promise<Arguments> => visibleData(call, data, true);

/** The same of what changes of a row, so that the caller still sees it. */
const changedData = (call: Call, data: unknown): Promise<Arguments> =>
  visibleData(call, data, false);

async function visibleData(call: Call, data: unknown, isNew: boolean): Promise<Arguments> {
  const { model } = call;
  const given = membersOf(data, 'data');
  for (const [field, { foreignKey }] of model.relations) {
    if (given[field] !== undefined) {
      throw new TypeError(
        `${model.name}.${field} can't be written in a nested write of ${model.name}, because rows are hidden: ${foreignKey.length > 0 ? `give ${foreignKey.join(' and ')}` : 'write the other row separately'}`,
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
      `${model.name}.${model.id} would reveal hidden rows that have the same value: let it be generated`,
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
    throw new TypeError(`${model.name}.${column} must be the id of a visible ${target}`);
  }
  if ((await call.columnsOfRule(value, referred)) === undefined) {
    throw await sight.refusals.reference(model.name, column);
  }
}

export type Operation = (call: Call, args: Arguments) => Promise<unknown>;

const findUnique: Operation = async (call, given) => {
  const { model, sight } = call;
  const { args, view } = visibleSelection(given, model, sight);
  const where = visibleUnique(args['where'], model, sight);
  return where === model.nowhere
    ? null
    : visibleRow(await call.ask('findUnique', { ...args, where }), view);
};

const findSome =
  (operation: string, noRow: () => unknown): Operation =>
  async (call, given) => {
    const { model, sight } = call;
    const page = visiblePage(given, model, sight);
    return page['where'] === model.nowhere ? noRow() : call.select(operation, page);
  };

const findFirst = findSome('findFirst', () => null);

/** What is read of several rows together has nothing of other models. */
const ofSeveral =
  (operation: string): Operation =>
  (call, args) =>
    call.ask(operation, visiblePage(args, call.model, call.sight));

const orThrow =
  (find: Operation): Operation =>
  async (call, args) =>
    presentRow(await find(call, args), 'query', call.model.name);

export const READS = {
  findUnique,
  findUniqueOrThrow: orThrow(findUnique),
  findFirst,
  findFirstOrThrow: orThrow(findFirst),
  findMany: findSome('findMany', () => []),
  count: ofSeveral('count'),
  aggregate: ofSeveral('aggregate'),
  groupBy: ofSeveral('groupBy'),
};

const create: Operation = async (call, args) =>
  call.select('create', { ...args, data: await newData(call, args['data']) });

const createMany =
  (operation: string): Operation =>
  async (call, args) => {
    if (args['skipDuplicates'] === true && isRestricted(call)) {
      throw new TypeError(
        `${operation} would reveal hidden rows of ${call.model.name} by skipping them: remove skipDuplicates`,
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
      `upsert would reveal a hidden ${call.model.name} with the same key: use update or create`,
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
 * A write under an idempotency key (once.ts). What was done before is shown only if the caller sees it: a row as it
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
