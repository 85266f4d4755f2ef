import type { Statement, TextRow } from '@store-gateway/ops';
import { isPlainObject } from '../arguments.ts';
import { auditLists } from '../audit.ts';
import { runBatch, type BatchStatements } from '../batch.ts';
import { typeOf } from '../column-types.ts';
import type { Model, Row, WriteOperation } from '../model.ts';
import { numberedRowDecoder } from '../rows.ts';
import { statementsByShape } from '../shape-statements.ts';
import { columnOf } from '../sql.ts';
import type { RunStatement, TableOptions } from '../statement.ts';
import {
  commonShape,
  type RequestedWrite,
  type WriteAlike,
  type WriteShape,
} from '../write-shape.ts';
import {
  keyLists,
  listsOf,
  storesTime,
  valueLists,
  writeStatements,
  type Stages,
} from '../write-statements.ts';
import { expectSettled } from './expect-settled.ts';
import { createFindByIds } from './find-by-ids.ts';
import { rawRowReader } from './raw-rows.ts';
import { beginWrite, changeRow, drawIds, insertRows, type Answered } from './write-statements.ts';

/** Writes rows: on their shards, and what is kept of writes on the coordinator, in one transaction. */
type WriteRows = (
  run: RunStatement,
  writes: readonly RequestedWrite[],
) => Promise<readonly TextRow[]>;

/** Makes creates together, or one change. */
export function writeOnShards(
  model: Model,
  { write, transaction }: TableOptions,
  stages: Stages,
): WriteAlike {
  const isKept = stages.isOnce || stages.isAudited;
  const insert = inserter(model, isKept ? 'asStored' : 'raw');
  const change = changer(model, isKept ? 'asStored' : 'raw');
  const writeRows: WriteRows = (run, writes) =>
    (commonShape(writes).operation === 'create' ? insert : change)(run, writes);
  if (!isKept) {
    const rowsIn = rawRowReader(model);
    return async (writes) => rowsIn(await writeRows(write, writes)).decoded();
  }
  const begin = beginWrite(model);
  const decode = numberedRowDecoder(model);
  const keep: Partial<Record<WriteOperation, BatchStatements>> = {};

  async function writeFree(
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
      // Rows whose keys are taken must not stay.
      return free.length === writes.length ? rows : undefined;
    });
    if (made !== undefined || free.length === 0) {
      return made ?? [];
    }
    const rows = (await writeFree(free)).values();
    return writes.map((each) => (free.includes(each) ? rows.next().value : undefined));
  }

  return writeFree;
}

/** Inserts rows, and answers with each at its place. */
function inserter(model: Model, answered: Answered): WriteRows {
  const draw = drawIds(model);
  const statements: Statement[] = [];
  const idPlace = model.columns.findIndex(({ field }) => field === model.id);

  return async (run, writes) => {
    const statement = (statements[writes.length] ??= insertRows(model, writes.length, answered));
    let rows = writes.map(({ write: { values } }) => values);
    // Nothing says in which order an INSERT returns several rows: each is found by its id.
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

/** Changes one row, and answers with it, if there is one whose conditions hold. */
function changer(model: Model, answered: Answered): WriteRows {
  const statementsOf = statementsByShape(
    ({ name }: WriteShape) => name,
    (shape) => changeRow(model, shape, answered),
  );
  return async (run, writes) => {
    const shape = commonShape(writes);
    const time = storesTime(model, shape) ? ['now'] : [];
    const values = writes.flatMap(({ write }) => [write.id, ...write.values]);
    return run(statementsOf(shape).single, [...values, ...time]);
  };
}

/**
 * Makes the rows of then that keys were taken for, once all can read that: a worker may commit later than the coordinator, which
 * has the keys.
 */
export function rowsOfThen(
  model: Model,
  options: TableOptions,
): (operation: WriteOperation, found: TextRow) => Promise<readonly (Row | undefined)[]> {
  const decode = numberedRowDecoder(model);
  const findByIds = createFindByIds(model, options);
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
      await expectSettled(options);
    }
    for (const [index, { row, entry }] of replays.entries()) {
      // A column that the table has got since is as the table has it.
      for (const { field, column } of model.columns) {
        if (!Object.hasOwn(entry, column)) {
          row[field] = present[index]?.[field] ?? row[field];
        }
      }
    }
    return rows;
  };
}
