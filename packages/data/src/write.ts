import type { BatchedRequest } from '@store-gateway/ops';
import { auditLists } from './audit.ts';
import { runBatch, runGroups } from './batch.ts';
import type { Model, Row, WriteOperation } from './model.ts';
import { numberedRowDecoder } from './rows.ts';
import { statementsByShape } from './shape-statements.ts';
import { rowsOfThen, writeOnShards } from './sharded/write.ts';
import type { TableOptions } from './statement.ts';
import {
  commonShape,
  nameOfKey,
  type RequestedWrite,
  type WriteAlike,
  type WriteShape,
  type Written,
} from './write-shape.ts';
import {
  keyLists,
  requestLists,
  takenStatement,
  valueLists,
  writeStatements,
  type Stages,
} from './write-statements.ts';

type Write = (requested: RequestedWrite) => Promise<Written | undefined>;

type Request = BatchedRequest<RequestedWrite, Written | undefined>;

/**
 * Makes a write, and answers when it is committed: with undefined for a change of no row, or of one whose conditions don't
 * hold. With an idempotency key it is done once, however often it is asked for, by whichever process; a change that wasn't made
 * takes no key.
 *
 * Writes of a batch are made in one statement for each of their shapes, which is one transaction; those of one row one after the
 * other.
 */
export function createWrite(model: Model, options: TableOptions): Write {
  const batchers = new Map<string, Write>();
  return (requested) => {
    const { write, once, audit } = requested;
    const isCreate = write.shape.operation === 'create';
    if (once === undefined && isReplayOnly(requested)) {
      return Promise.resolve(undefined);
    }
    const stages = { isOnce: once !== undefined, isAudited: audit !== undefined };
    // Creates don't wait for changes, which may wait for others' locks.
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
  const write = (isSharded ? writeOnShards : writeTogether)(model, options, stages);
  const find = takenFinder(model, options);
  // On shards a change is a statement of its own.
  const isAlone = isSharded && !isCreate;

  /** @param taken the keys that are taken: what has one of them is a replay, or reuses it */
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
      // On shards rows are written before keys are taken, so that what was done before may be in the way.
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
    // By another statement: the one that couldn't take the keys doesn't see what others committed while it waited for them.
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

  /** @param fault of the write, if that may be a replay: its value may be why the lookup fails, too */
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
    // On shards what replays each other waits for each other's rows, so these are created in the order of their keys.
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

/** Whether a write is only answered if it was made before: there is no row that a change with the id null could change. */
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

/** Divides requests into those to make now, no two of one row or key, and those that have to wait for them. */
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

function writeTogether(model: Model, { write }: TableOptions, stages: Stages): WriteAlike {
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

/** Finds the rows that keys were taken for, as they were then, or that one was taken for something else. */
function takenFinder(
  model: Model,
  options: TableOptions,
): (writes: readonly RequestedWrite[]) => Promise<readonly (Row | 'reused' | undefined)[]> {
  const { write, isSharded = false } = options;
  const statements: Partial<Record<WriteOperation, ReturnType<typeof takenStatement>>> = {};
  const decode = numberedRowDecoder(model);
  const rowsOf = isSharded ? rowsOfThen(model, options) : undefined;
  return async (writes) => {
    const { operation } = commonShape(writes);
    const statement = (statements[operation] ??= takenStatement(model, operation, isSharded));
    const [[reused, ...found] = []] = await write(statement, requestLists(writes));
    const rows = rowsOf === undefined ? decode([found]) : await rowsOf(operation, found);
    const isReused = new Set(reused?.split(','));
    return writes.map((_write, index) =>
      isReused.has(String(index + 1)) ? 'reused' : rows[index],
    );
  };
}
