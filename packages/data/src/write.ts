import type { BatchedRequest, Statement, TextRow } from '@store-gateway/ops';
import { setTimeout } from 'node:timers/promises';
import { auditLists } from './audit.ts';
import { isPlainObject } from './calls.ts';
import { typeOf } from './column-types.ts';
import { createFindByIdsOnShards } from './find-by-ids.ts';
import { columnOf, type Model, type Row, type WriteOperation } from './model.ts';
import { isUniqueViolation } from './prisma-internals.ts';
import { isReturnable, numberedRowDecoder, rawRow, rawRowReader } from './rows.ts';
import {
  type BatchStatements,
  batchStatements,
  quoted,
  runBatch,
  runGroups,
  type RunStatement,
  statementsByShape,
  type TableOptions,
} from './statements.ts';
import {
  commonShape,
  conditionsOf,
  keyLists,
  listsOf,
  nameOfKey,
  namesOf,
  type MakeWrite,
  type RequestedWrite,
  requestLists,
  type Stages,
  storesTime,
  claimStatement,
  valueLists,
  writeSql,
  type WriteBatch,
  type WriteShape,
  writeStatements,
  type Written,
} from './write-statements.ts';

type Request = BatchedRequest<RequestedWrite, Written | undefined>;

/**
 * Returns a function that makes a write and resolves when it is committed. It resolves with undefined if a change finds no row,
 * or if the change's conditions don't hold. With an idempotency key, a write is made once, no matter how often and in which
 * process it is requested. A change that isn't made doesn't claim its key.
 *
 * A batch runs one statement for each shape of its writes. Each statement is one transaction. Writes to the same row are made
 * one after another.
 */
export function createWrite(model: Model, options: TableOptions): MakeWrite {
  const batchers = new Map<string, MakeWrite>();
  return (requested) => {
    const { write, once, audit } = requested;
    const isCreate = write.shape.operation === 'create';
    if (once === undefined && isReplayOnly(requested)) {
      return Promise.resolve(undefined);
    }
    const stages = { isOnce: once !== undefined, isAudited: audit !== undefined };
    // Creates are batched separately from changes, which may wait for locks.
    const name = `${isCreate} ${stages.isOnce} ${stages.isAudited}`;
    let batched = batchers.get(name);
    if (batched === undefined) {
      batched = options.createBatcher(writeBatches(model, options, isCreate, stages));
      batchers.set(name, batched);
    }
    return batched(requested);
  };
}

function writeBatches(
  model: Model,
  options: TableOptions,
  isCreate: boolean,
  stages: Stages,
): (requests: readonly Request[]) => Promise<void> {
  const { isFault, isSharded = false } = options;
  const { isOnce } = stages;
  const write = (isSharded ? writeOnShards : writeInOneStatement)(model, options, stages);
  const find = claimFinder(model, options);
  // On shards, each change is a separate statement.
  const isAlone = isSharded && !isCreate;

  /**
   * @param taken the keys that are already claimed: a write with one of them is a replay, or reuses the key for a different
   *   request
   */
  async function writeGroup(requests: readonly Request[], taken: Set<string>): Promise<void> {
    const others = requests.filter(
      ({ input }) => taken.has(nameOfKey(input)) || isReplayOnly(input),
    );
    const free = others.length === 0 ? requests : requests.filter((each) => !others.includes(each));
    let rows: readonly (Row | undefined)[] = [];
    let fault: unknown;
    try {
      rows = free.length === 0 ? [] : await write(free.map(({ input }) => input));
    } catch (error) {
      // On shards, rows are written before keys are claimed, so they may conflict with the rows of an earlier write under the
      // same keys.
      if (!isSharded || !isOnce || requests.length > 1 || !isFault(error)) {
        throw error;
      }
      fault = error;
    }
    const settle = ({ input, resolve }: Request, written: Written): void => {
      if (isOnce) {
        taken.add(nameOfKey(input));
      }
      resolve(written);
    };
    for (const [index, request] of free.entries()) {
      const row = rows[index];
      if (row === undefined) {
        others.push(request);
      } else {
        settle(request, { row, isReplay: false });
      }
    }
    // The lookup is a separate statement, because the claiming statement's snapshot predates what other transactions committed
    // while it waited for the keys.
    const found = isOnce && others.length > 0 ? await findOrSplit(others, fault) : [];
    for (const [index, request] of others.entries()) {
      const earlier = found[index];
      if (earlier === 'outdated') {
        settle(request, { row: undefined, isReplay: true, isOutdated: true });
      } else if (earlier !== undefined) {
        settle(request, { row: earlier === 'reused' ? undefined : earlier, isReplay: true });
      } else if (fault !== undefined || (isCreate && !isReplayOnly(request.input))) {
        request.reject(fault ?? lost(model));
      } else {
        request.resolve(undefined);
      }
    }
  }

  /**
   * @param fault the error from a write that may be a replay; the value that caused it may make the lookup fail, too
   */
  async function findOrSplit(
    requests: readonly Request[],
    fault: unknown,
  ): Promise<readonly (Row | 'reused' | 'outdated' | undefined)[]> {
    try {
      return await find(requests.map(({ input }) => input));
    } catch (error) {
      if (!isFault(error)) {
        throw error;
      }
      if (requests.length > 1) {
        return (await Promise.all(requests.map((each) => findOrSplit([each], fault)))).flat();
      }
      return fault === undefined ? ['outdated'] : [];
    }
  }

  return async (requests) => {
    const taken = new Set<string>();
    // On shards, creates under the same keys wait for each other's rows, so they are made in the order of their keys.
    let left = isSharded && isCreate && isOnce ? requests.toSorted(byKey) : requests;
    while (left.length > 0) {
      const { now, later } = nextRound(left, taken);
      const groups = isAlone
        ? now.map((request) => [request])
        : [...Map.groupBy(now, ({ input }) => input.write.shape.name).values()];
      await runGroups(groups, isFault, (group) => writeGroup(group, taken));
      left = later;
    }
  };
}

/**
 * Whether to only return an earlier result, because the write requests that, or because it is a change whose id is null, which
 * matches no row.
 */
function isReplayOnly({ write, once }: RequestedWrite): boolean {
  return once?.isReplayOnly === true || (write.shape.operation !== 'create' && write.id === null);
}

function lost({ name }: Model): Error {
  return new Error(
    `a write to ${name} or to its idempotency keys returned no row: does a trigger or rule suppress it?`,
  );
}

function byKey({ input: one }: Request, { input: other }: Request): number {
  const [first, second] = [nameOfKey(one), nameOfKey(other)];
  return first === second ? 0 : first < second ? -1 : 1;
}

/** Splits requests into those to make now, in which no row or key occurs twice, and those that have to wait. */
function nextRound(requests: readonly Request[], taken: ReadonlySet<string>) {
  const names = new Set<string>();
  const now: Request[] = [];
  const later: Request[] = [];
  for (const request of requests) {
    const { write, once } = request.input;
    const key = nameOfKey(request.input);
    const own = taken.has(key)
      ? []
      : [...(once === undefined ? [] : [key]), ...(write.id === null ? [] : [`row ${write.id}`])];
    (own.some((name) => names.has(name)) ? later : now).push(request);
    own.forEach((name) => names.add(name));
  }
  return { now, later };
}

function writeInOneStatement(model: Model, { write }: TableOptions, stages: Stages): WriteBatch {
  const statementsOf = statementsByShape(
    ({ name }: WriteShape) => name,
    (shape) => writeStatements(model, shape, stages),
  );
  const decode = numberedRowDecoder(model);
  return async (writes) => {
    const shape = commonShape(writes);
    const lists = [
      ...keyLists(writes),
      ...auditLists(writes),
      ...(shape.operation === 'create' ? [] : [writes.map(({ write: { id } }) => id)]),
      ...valueLists(writes),
    ];
    return decode(await runBatch(write, statementsOf(shape), lists));
  };
}

/** Finds the rows that keys were claimed for, as of the claim; `reused` for a key that was claimed for a different request. */
function claimFinder(
  model: Model,
  options: TableOptions,
): (writes: readonly RequestedWrite[]) => Promise<readonly (Row | 'reused' | undefined)[]> {
  const { write, isSharded = false } = options;
  const statements: Partial<Record<WriteOperation, ReturnType<typeof claimStatement>>> = {};
  const decode = numberedRowDecoder(model);
  const rowsOf = isSharded ? originalRows(model, options) : undefined;
  return async (writes) => {
    const { operation } = commonShape(writes);
    const statement = (statements[operation] ??= claimStatement(model, operation, isSharded));
    const [[reused, ...found] = []] = await write(statement, requestLists(writes));
    const rows = rowsOf === undefined ? decode([found]) : await rowsOf(operation, found);
    const isReused = new Set(reused?.split(','));
    return writes.map((_write, index) =>
      isReused.has(String(index + 1)) ? 'reused' : rows[index],
    );
  };
}

/** Writes rows on their shards, and returns them. */
type WriteRows = (
  run: RunStatement,
  writes: readonly RequestedWrite[],
) => Promise<readonly TextRow[]>;

/**
 * Returns a function that makes several creates, or one change. In one transaction, it writes the rows to their shards, and the
 * keys and audit entries to the coordinator.
 */
function writeOnShards(
  model: Model,
  { write, transaction }: TableOptions,
  stages: Stages,
): WriteBatch {
  const isKept = stages.isOnce || stages.isAudited;
  const insert = inserter(model, isKept ? 'asStored' : 'raw');
  const change = changer(model, isKept ? 'asStored' : 'raw');
  const writeRows: WriteRows = (run, writes) =>
    (commonShape(writes).operation === 'create' ? insert : change)(run, writes);
  if (!isKept) {
    const rowsIn = rawRowReader(model);
    return withFreeIds(model, async (writes) => rowsIn(await writeRows(write, writes)).decoded());
  }
  const begin = beginWrite(model);
  const decode = numberedRowDecoder(model);
  const keep: Partial<Record<WriteOperation, BatchStatements>> = {};

  async function writeUnlocked(
    writes: readonly RequestedWrite[],
  ): Promise<readonly (Row | undefined)[]> {
    const shape = commonShape(writes);
    const { operation } = shape;
    const statements = (keep[operation] ??= writeStatements(model, shape, stages, true));
    let free: readonly RequestedWrite[] = [];
    const made = await transaction(begin, async (run) => {
      free = [];
      const written = await writeRows(run, writes);
      if (written.length === 0) {
        return undefined;
      }
      const lists = [
        ...keyLists(writes),
        ...auditLists(writes),
        ...(stages.isOnce && operation === 'create' ? valueLists(writes) : []),
        ...listsOf(model.columns.length, written),
      ];
      const rows = decode(await runBatch(run, statements, lists));
      free = writes.filter((_write, index) => rows[index] !== undefined);
      // Roll back, because rows whose keys were already claimed must not be committed.
      return free.length === writes.length ? rows : undefined;
    });
    if (made !== undefined || free.length === 0) {
      return made ?? [];
    }
    const rows = (await writeUnlocked(free)).values();
    return writes.map((each) => (free.includes(each) ? rows.next().value : undefined));
  }

  return withFreeIds(model, writeUnlocked);
}

/** Maximum number of ids generated for a create. */
const MAX_IDS = 100;

/**
 * Retries creates whose generated ids are taken: a standby that takes over as coordinator may lack a sequence's latest changes,
 * and so may generate ids that workers have already committed.
 */
function withFreeIds(model: Model, write: WriteBatch): WriteBatch {
  const idPlace = model.columns.findIndex(({ field }) => field === model.id);
  const isGenerated = ({ write: { shape, values } }: RequestedWrite): boolean =>
    shape.operation === 'create' && values[idPlace] === null;
  return async (writes) => {
    for (let ids = 1; ; ids += 1) {
      try {
        return await write(writes);
      } catch (error) {
        // Every unique constraint of a distributed table includes its distribution column, the id.
        if (ids === MAX_IDS || !isUniqueViolation(error) || !writes.every(isGenerated)) {
          throw error;
        }
      }
    }
  };
}

/** Inserts rows, and returns each at the index of its write. */
function inserter(model: Model, returned: Returned): WriteRows {
  const draw = generateIds(model);
  const statements: Statement[] = [];
  const idPlace = model.columns.findIndex(({ field }) => field === model.id);

  return async (run, writes) => {
    const statement = (statements[writes.length] ??= insertRows(model, writes.length, returned));
    let rows = writes.map(({ write: { values } }) => values);
    // An INSERT may return several rows in any order, so each is found by its id.
    const ids =
      rows.length === 1
        ? undefined
        : (await run(draw, [rows.map((row) => row[idPlace] ?? null)])).flat();
    if (ids !== undefined) {
      rows = rows.map((row, index) => row.with(idPlace, ids[index] ?? null));
    }
    const written = await run(statement, rows.flat());
    const byId = Map.groupBy(written, (row) => row[idPlace] ?? null);
    const placed = ids?.flatMap((id) => byId.get(id) ?? []) ?? written;
    if (placed.length < rows.length) {
      throw new Error(
        `INSERT into ${model.name} returned fewer rows than it was given: does a trigger or rule suppress them?`,
      );
    }
    return placed;
  };
}

/** Changes one row and returns it, if it exists and its conditions hold. */
function changer(model: Model, returned: Returned): WriteRows {
  const statementsOf = statementsByShape(
    ({ name }: WriteShape) => name,
    (shape) => changeRow(model, shape, returned),
  );
  return async (run, writes) => {
    const shape = commonShape(writes);
    const time = storesTime(model, shape) ? ['now'] : [];
    const values = writes.flatMap(({ write }) => [write.id, ...write.values]);
    return run(statementsOf(shape).single, [...values, ...time]);
  };
}

/**
 * Returns the rows that keys were claimed for, as of the claim. The function waits until all reads can see them, because a
 * worker may commit later than the coordinator, which stores the keys.
 */
function originalRows(
  model: Model,
  options: TableOptions,
): (operation: WriteOperation, found: TextRow) => Promise<readonly (Row | undefined)[]> {
  const decode = numberedRowDecoder(model);
  const findByIds = createFindByIdsOnShards(model, options);
  const { encode } = typeOf(columnOf(model, model.id));
  return async (operation, [json = null, ...found]) => {
    const rows = decode([found]);
    const entries: unknown = JSON.parse(json ?? '{}');
    const replays = rows.flatMap((row, index) => {
      const entry = isPlainObject(entries) ? entries[index + 1] : undefined;
      return row === undefined || !isPlainObject(entry) ? [] : [{ row, entry }];
    });
    if (replays.length === 0) {
      return rows;
    }
    const present = await findByIds(replays.map(({ row }) => encode(row[model.id]) ?? ''));
    if (operation !== 'create' || present.includes(undefined)) {
      await waitForPreparedTransactions(options);
    }
    for (const [index, { row, entry }] of replays.entries()) {
      // A column that was added later has the table's current value.
      for (const { field, column } of model.columns) {
        if (!Object.hasOwn(entry, column)) {
          row[field] = present[index]?.[field] ?? row[field];
        }
      }
    }
    return rows;
  };
}

/** The columns that a write returns: `raw` for reading its rows, or `asStored` for idempotency keys and the audit log. */
type Returned = 'raw' | 'asStored';

/** Returns SQL that begins a transaction on a sharded table and on tables of the coordinator. */
function beginWrite({ table }: Model): string {
  // Without the DELETE, Citus would commit writes to a single shard first, and separately: a crash could leave a row without
  // its key.
  return `BEGIN; DELETE FROM ${quoted(table)} WHERE false`;
}

/** Returns the statement that generates missing ids, and returns all ids in the database's format. */
function generateIds(model: Model): Statement {
  const { pgType, generated } = columnOf(model, model.id);
  return {
    name: `${model.name}.generateIds`,
    text: `
    SELECT ${generated === undefined ? 'given' : `coalesce(given, ${generated})`}
    FROM unnest($1::${pgType}[]) WITH ORDINALITY AS ids (given, number) ORDER BY number`,
  };
}

/** Returns the statement that inserts `count` rows, whose values are passed row by row. */
function insertRows(model: Model, count: number, returned: Returned): Statement {
  const { columns } = model;
  const rows = Array.from({ length: count }, (_row, number) => {
    const values = columns.map(({ pgType, generated }, index) => {
      const value = `$${number * columns.length + index + 1}::${pgType}`;
      return generated === undefined ? value : `coalesce(${value}, ${generated})`;
    });
    return `(${values.join(', ')})`;
  });
  const name = `${model.name}.createAll${returned === 'raw' ? '' : 'AsStored'}`;
  return {
    name,
    preparedAs: `${name}:${count}`,
    text: withReturning(
      model,
      returned,
      `
    INSERT INTO ${quoted(model.table)} AS written (${namesOf(model)})
    VALUES ${rows.join(', ')}`,
    ),
  };
}

/** Returns the statement that changes one row. Its parameters are the id, the values and, if `storesTime`, the time. */
function changeRow(model: Model, shape: WriteShape, returned: Returned): BatchStatements {
  const { operation, set, conditions } = shape;
  const places = {
    id: `$1::${columnOf(model, model.id).pgType}`,
    valueAt: (index: number, { pgType }: { readonly pgType: string }) => `$${index + 2}::${pgType}`,
    now: `$${set.length + conditions.length + 2}::timestamptz`,
  };
  const text = withReturning(
    model,
    returned,
    `
    ${writeSql(model, shape, places)}
      ${conditionsOf(shape, 'written', places)}`,
  );
  const name = `${model.name}.${operation}All${returned === 'raw' ? '' : 'AsStored'}`;
  return batchStatements(name, () => text);
}

function withReturning(model: Model, returned: Returned, writing: string): string {
  if (returned === 'raw' && isReturnable(model)) {
    return `${writing}
    RETURNING ${rawRow(model, 'written')}`;
  }
  const stored = model.columns.map(({ column }) => `written.${quoted(column)}`).join(', ');
  const returning = `${writing}
    RETURNING ${stored}`;
  return returned === 'asStored'
    ? returning
    : `WITH returned AS (${returning}) SELECT ${rawRow(model, 'returned')} FROM returned`;
}

const PREPARED = {
  name: 'preparedTransactions',
  text: `
    SELECT success, result FROM run_command_on_workers(
      $$SELECT string_agg(gid, ' ') FROM pg_prepared_xacts WHERE database = current_database()$$)`,
};

const LOOKS = 30;
const INTERVAL_MS = 20;

/**
 * Waits until the transactions that are prepared on any worker have ended.
 *
 * @throws the error from `transaction` if that takes too long
 */
async function waitForPreparedTransactions({ transaction }: TableOptions): Promise<void> {
  await transaction('BEGIN', async (run) => {
    const seen = await namesOfPrepared(run);
    let left = seen;
    for (let look = 1; left.length > 0; look += 1) {
      if (look === LOOKS) {
        throw new Error('a Citus worker has not yet committed its prepared transactions');
      }
      await setTimeout(INTERVAL_MS);
      const names = await namesOfPrepared(run);
      left = seen.filter((name) => names.includes(name));
    }
    return seen;
  });
}

async function namesOfPrepared(run: RunStatement): Promise<readonly string[]> {
  const results = await run(PREPARED, []);
  return results.flatMap(([success, result]) => {
    if (success !== 't') {
      throw new Error(`could not list the prepared transactions on a Citus worker: ${result}`);
    }
    return result?.match(/\S+/g) ?? [];
  });
}
