import { type Arguments, isPlainObject, type MethodName } from '../calls.ts';
import { ofTransaction, type Rule, withRule } from '../guarded-client.ts';
import { LazyPromise } from '../lazy-result.ts';
import { keyOf } from '../model.ts';
import { callEngine, callMethod, isMissingRow, presentRow } from '../prisma-internals.ts';
import {
  elementsOf,
  isObject,
  membersOf,
  uniqueWithCondition,
  visibleFilters,
  visiblePage,
  visibleRow,
  visibleSelection,
  visibleUnique,
  visibleWhere,
  withCondition,
} from './arguments.ts';
import {
  type Condition,
  type DataModels,
  holds,
  type Model,
  type Refusals,
  type Relation,
  type RowRules,
  ruledModels,
  type CallerView,
  callerViewOf,
  written,
} from './rules.ts';

/** A data model's row rules, and the errors for writes that they reject. */
interface VisibleRowsOptions<Context> {
  readonly models: DataModels;
  readonly rules: RowRules<Context>;
  readonly refusals: Refusals;
  /** Called whenever a call's result depends on which rows of a model the caller may see. */
  readonly onRuledCall?: (model: string) => void;
}

/**
 * Restricts a Prisma client to the rows that a caller may see. Every call reads and writes only those rows. Its types, arguments,
 * results and errors are Prisma's own: a hidden row behaves like a missing one.
 *
 * @returns a function that creates the client of a caller, given the rules' context
 */
export function visibleRows<Client extends object, Context>(
  client: Client,
  {
    models: dataModels,
    rules,
    refusals,
    onRuledCall = () => undefined,
  }: VisibleRowsOptions<Context>,
): (context: Context) => Client {
  const models = ruledModels(dataModels, rules);
  const names = new Map(Object.keys(dataModels).map((name) => [keyOf(name), name]));
  return (context) => {
    const resultOf = (model: string): unknown => rules[model]?.where(context);
    const callerView = callerViewOf(models, resultOf, refusals, onRuledCall);
    const rule: Rule = {
      name: 'visible',
      methodOf: ({ client: below, key, name }) => {
        const model = models.get(names.get(key) ?? '');
        const visible = OPERATIONS.get(name);
        if (visible === undefined || !names.has(key)) {
          throw bypassError(`${key}.${name}`);
        }
        return (args) =>
          new LazyCall(below, async (by) =>
            model === undefined
              ? // Neither this model nor its relations have hidden rows.
                await callEngine(by, key, name, args)
              : await visible(new Call(by, model, callerView), membersOf(args, 'the arguments')),
          );
      },
      memberOf: (below, name) => {
        if (name !== '$transaction') {
          throw bypassError(name);
        }
        return (work: unknown, options?: unknown) =>
          transaction(below, work, options, (own) => ofTransaction(rule, own));
      },
    };
    return withRule(client, rule);
  };
}

function bypassError(name: string): TypeError {
  return new TypeError(
    `${name} would bypass the rules for visible rows: use the client that sees all rows`,
  );
}

/** The result of a call. In `$transaction([…])`, the transaction runs the call instead. */
class LazyCall extends LazyPromise {
  readonly #runBy: (client: object) => Promise<unknown>;

  constructor(client: object, runBy: (client: object) => Promise<unknown>) {
    super(() => runBy(client));
    this.#runBy = runBy;
  }

  /** Runs the call on a transaction's client. */
  in(client: object): Promise<unknown> {
    return this.#runBy(client);
  }
}

function transaction(
  client: object,
  work: unknown,
  options: unknown,
  visible: (transaction: object) => object,
): unknown {
  const run = (body: (transaction: object) => Promise<unknown>) =>
    callMethod(client, '$transaction', options === undefined ? [body] : [body, options]);
  if (typeof work === 'function') {
    return run(async (own) => {
      const result: unknown = await Reflect.apply(work, undefined, [visible(own)]);
      return result;
    });
  }
  if (!Array.isArray(work) || !work.every((each) => each instanceof LazyCall)) {
    throw new TypeError('a transaction only accepts calls from the client that it belongs to');
  }
  return run(async (own) => {
    const results: unknown[] = [];
    for (const call of work) {
      results.push(await call.in(own));
    }
    return results;
  });
}

/** A call to a model's method, on the client or in one of its transactions. */
class Call {
  readonly #client: object;
  readonly model: Model;
  readonly callerView: CallerView;

  constructor(client: object, model: Model, callerView: CallerView) {
    this.#client = client;
    this.model = model;
    this.callerView = callerView;
  }

  async ask(operation: string, args: Arguments, model = this.model): Promise<unknown> {
    return await callEngine(this.#client, keyOf(model.name), operation, args);
  }

  /** Runs an operation on rows that are known to be visible. Their relations are restricted to what the caller may see. */
  async select(operation: string, given: Arguments): Promise<unknown> {
    const { args, view } = visibleSelection(given, this.model, this.callerView);
    return visibleRow(await this.ask(operation, args), view);
  }

  /** Reads the id and the rule's columns of the row with this id; undefined if the row isn't visible. */
  async columnsOfRule(value: unknown, model = this.model): Promise<Arguments | undefined> {
    const { id = '' } = model;
    const where = visibleWhere({ [id]: value }, model, this.callerView);
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
 * Returns the columns of a new row, which the caller must be able to see. If the model's rule allows only one value for an
 * omitted column, the column gets that value.
 *
 * @throws an error from `Refusals` if the row would be hidden, or refers to a hidden row
 */
const newData = (call: Call, data: unknown): Promise<Arguments> => visibleData(call, data, true);

/**
 * Returns the changed columns of a row, which the caller must still be able to see afterwards.
 *
 * @throws the same errors as `newData`
 */
const changedData = (call: Call, data: unknown): Promise<Arguments> =>
  visibleData(call, data, false);

async function visibleData(call: Call, data: unknown, isNew: boolean): Promise<Arguments> {
  const { model } = call;
  const given = membersOf(data, 'data');
  for (const [field, { foreignKey }] of model.relations) {
    if (given[field] !== undefined) {
      throw new TypeError(
        `${model.name}.${field} can't be set by a nested write, because rows may be hidden: ${foreignKey.length > 0 ? `set ${foreignKey.join(' and ')}` : 'write the other row separately'}`,
      );
    }
  }
  const own = withinCondition(given, call, isNew);
  for (const relation of model.relations.values()) {
    await expectVisibleReference(own, relation, call);
  }
  return own;
}

function withinCondition(data: Arguments, { model, callerView }: Call, isNew: boolean): Arguments {
  const condition = callerView.conditionOf(model);
  if (condition === 'all') {
    return data;
  }
  if (model.id !== undefined && data[model.id] !== undefined) {
    throw new TypeError(
      `setting ${model.name}.${model.id} would reveal hidden rows with the same value: omit it`,
    );
  }
  if (condition === 'none') {
    // The caller can't see the row to change, whether or not it exists.
    if (isNew) {
      throw callerView.refusals.value(model.name, model.rule?.columns ?? []);
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
    throw callerView.refusals.value(model.name, refused);
  }
  return { ...data, ...filled };
}

/**
 * Returns a value that is passed plainly or as `{ set }`. Anything else, such as `{ increment }`, is returned unchanged, because
 * no rule allows it as a value.
 */
function valueIn(given: unknown): unknown {
  return isPlainObject(given) && Object.keys(given).join() === 'set' ? given['set'] : given;
}

async function expectVisibleReference(
  data: Arguments,
  { model: target, foreignKey }: Relation,
  call: Call,
): Promise<void> {
  const { model, callerView } = call;
  const [column, ...others] = foreignKey;
  const value = column === undefined ? undefined : valueIn(data[column]);
  if (column === undefined || value == null) {
    return;
  }
  const referred = callerView.modelOf(target);
  if (callerView.conditionOf(referred) === 'all') {
    return;
  }
  if (others.length > 0 || isPlainObject(value)) {
    throw new TypeError(`${model.name}.${column} must be the id of a visible ${target}`);
  }
  if ((await call.columnsOfRule(value, referred)) === undefined) {
    throw await callerView.refusals.reference(model.name, column);
  }
}

type Operation = (call: Call, args: Arguments) => Promise<unknown>;

const findUnique: Operation = async (call, given) => {
  const { model, callerView } = call;
  const { args, view } = visibleSelection(given, model, callerView);
  const where = visibleUnique(args['where'], model, callerView);
  return where === model.nowhere
    ? null
    : visibleRow(await call.ask('findUnique', { ...args, where }), view);
};

const findSome =
  (operation: string, noRow: () => unknown): Operation =>
  async (call, given) => {
    const { model, callerView } = call;
    const page = visiblePage(given, model, callerView);
    return page['where'] === model.nowhere ? noRow() : call.select(operation, page);
  };

const findFirst = findSome('findFirst', () => null);

/** Reads several rows together. The result contains nothing from other models. */
const ofSeveral =
  (operation: string): Operation =>
  (call, args) =>
    call.ask(operation, visiblePage(args, call.model, call.callerView));

const orThrow =
  (find: Operation): Operation =>
  async (call, args) =>
    presentRow(await find(call, args), 'query', call.model.name);

const READS = {
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
    const where = visibleWhere(args['where'], call.model, call.callerView);
    return call.select(operation, { ...args, data, where });
  };

const deleteMany: Operation = (call, args) =>
  call.ask('deleteMany', {
    ...args,
    where: visibleWhere(args['where'], call.model, call.callerView),
  });

const upsert: Operation = async (call, args) => {
  if (isRestricted(call)) {
    throw new TypeError(
      `upsert would reveal a hidden ${call.model.name} with the same key: use update or create`,
    );
  }
  const where = visibleFilters(membersOf(args['where'], 'where'), call.model, call.callerView);
  const data = {
    create: await newData(call, args['create']),
    update: await changedData(call, args['update']),
  };
  return call.select('upsert', { ...args, ...data, where });
};

function isRestricted({ model, callerView }: Call): boolean {
  return callerView.conditionOf(model) !== 'all';
}

/**
 * Returns the `where` of a visible row by its unique columns. Statements compare a column with one value: if the rule allows
 * several, they compare with the row's current value.
 */
async function whereOfOne(call: Call, args: Arguments): Promise<Arguments> {
  const { model, callerView } = call;
  const where = visibleFilters(membersOf(args['where'], 'where'), model, callerView);
  const condition = callerView.conditionOf(model);
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
    ? // A condition that never holds, in the form that statements support.
      { ...where, NOT: { [id]: value } }
    : only;
}

/** Returns the condition that a row is visible, with one value for each column; undefined if it isn't visible. */
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

const WRITES = {
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
 * Wraps a write under an idempotency key (once.ts). An earlier result is returned only if the caller may see the row in the
 * state that the write stored or deleted and, unless the write deleted it, in its current state.
 */
const once =
  (operation: string, argsOf: (call: Call, args: Arguments) => Promise<Arguments>): Operation =>
  async (call, given) => {
    const { model, callerView } = call;
    const { id = '' } = model;
    const deduplication = membersOf(given['deduplication'], 'deduplication');
    const { onReplay } = deduplication;
    let isReplay = false;
    let refusal: Error | undefined;
    const own = await argsOf(call, given).catch((error: unknown) => {
      // A write that was already made is replayed, even if it would be rejected now.
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
          // If rows of the model may be hidden, a row that no longer exists is treated like a hidden one.
          missingRowError: (name: string) =>
            callerView.conditionOf(callerView.modelOf(name)) === 'all'
              ? callMethod(deduplication, 'missingRowError', [name])
              : undefined,
        },
      },
      model,
      callerView,
      { isChecked: true, columns: [id] },
    );
    const row = await call.ask(operation, args).catch((error: unknown) => {
      throw refusal !== undefined && isMissingRow(error) ? refusal : error;
    });
    const condition = callerView.conditionOf(model);
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

const WRITES_ONCE = {
  createOnce: once('createOnce', async (call, { data }) => ({ data: await newData(call, data) })),
  updateOnce: once('updateOnce', async (call, args) => ({
    data: await changedData(call, args['data']),
    where: await whereOfOne(call, args),
  })),
  deleteOnce: once('deleteOnce', async (call, args) => ({ where: await whereOfOne(call, args) })),
};

const EACH: Readonly<Record<MethodName, Operation>> = { ...READS, ...WRITES, ...WRITES_ONCE };

const OPERATIONS: ReadonlyMap<string, Operation> = new Map(Object.entries(EACH));
