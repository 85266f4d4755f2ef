import type { Statement, TextRow } from '@store-gateway/ops';
import { auditLists } from '../audit.ts';
import { runBatch } from '../batch.ts';
import { keyLists, type KeyedRow } from '../deduplicated.ts';
import type { Model, Row } from '../model.ts';
import { columnLists, type RequestedRow } from '../new-row.ts';
import { numberedRowDecoder } from '../rows.ts';
import type { RunStatement, TableOptions } from '../statement.ts';
import { keepAll } from './keep-statements.ts';
import { rawRowDecoder } from './raw-rows.ts';
import { beginWrite, drawIds, insertRows, type Answered } from './write-statements.ts';

/** Creates rows, and answers with each at its place. */
export function createOnShards(
  model: Model,
  { write, transaction }: TableOptions,
  audit?: 'audited',
): (inputs: readonly RequestedRow[]) => Promise<readonly (Row | undefined)[]> {
  const decodeRaw = rawRowDecoder(model);
  const insert = inserter(model, audit === undefined ? 'raw' : 'asStored');
  const keep = keepAll(model, 'create', { isOnce: false, isAudited: true });
  const begin = beginWrite(model);
  const decode = numberedRowDecoder(model);
  if (audit === undefined) {
    return async (inputs) => decodeRaw(await insert(write, inputs));
  }
  return async (inputs) =>
    (await transaction(begin, async (run) => {
      const columns = columnLists(model, await insert(run, inputs));
      return decode(await runBatch(run, keep, [...auditLists(inputs), ...columns]));
    })) ?? [];
}

/** Creates the rows whose keys are free. */
export function createOnceOnShards(
  model: Model,
  { transaction }: TableOptions,
  audit?: 'audited',
): (inputs: readonly KeyedRow[]) => Promise<readonly (Row | undefined)[]> {
  const insert = inserter(model, 'asStored');
  const keep = keepAll(model, 'create', { isOnce: true, isAudited: audit !== undefined });
  const begin = beginWrite(model);
  const decode = numberedRowDecoder(model);
  return async function createFree(
    inputs: readonly KeyedRow[],
  ): Promise<readonly (Row | undefined)[]> {
    let free: readonly KeyedRow[] = [];
    const created = await transaction(begin, async (run) => {
      const written = await insert(run, inputs);
      const given = inputs.map(({ values }) => values);
      const rows = decode(
        await runBatch(run, keep, [
          ...keyLists(inputs),
          ...columnLists(model, given),
          ...auditLists(inputs),
          ...columnLists(model, written),
        ]),
      );
      free = inputs.filter((_input, index) => rows[index] !== undefined);
      // Rows whose keys are taken must not stay.
      return free.length === inputs.length ? rows : undefined;
    });
    if (created !== undefined || free.length === 0) {
      return created ?? [];
    }
    const rows = (await createFree(free)).values();
    return inputs.map((input) => (free.includes(input) ? rows.next().value : undefined));
  };
}

/** Inserts rows, and answers with each at its place. */
function inserter(model: Model, answered: Answered) {
  const draw = drawIds(model);
  const statements: Statement[] = [];
  const idPlace = model.columns.findIndex(({ field }) => field === model.id);

  return async (
    run: RunStatement,
    inputs: readonly RequestedRow[],
  ): Promise<readonly TextRow[]> => {
    const statement = (statements[inputs.length] ??= insertRows(model, inputs.length, answered));
    const rows = inputs.map(({ values }) => values);
    if (rows.length === 1) {
      return complete(model, [(await run(statement, rows.flat()))[0]]);
    }
    // Nothing says in which order an INSERT returns its rows: each is found by its id.
    const ids = (await run(draw, [rows.map((row) => row[idPlace] ?? null)])).flat();
    const withIds = rows.map((row, index) => row.with(idPlace, ids[index] ?? null));
    const written = await run(statement, withIds.flat());
    const byId = new Map(written.map((row) => [row[idPlace] ?? null, row]));
    return complete(
      model,
      ids.map((id) => byId.get(id)),
    );
  };
}

/** @throws Error if there isn't a row for each that was inserted */
function complete({ name }: Model, rows: readonly (TextRow | undefined)[]): readonly TextRow[] {
  return rows.map((row) => {
    if (row === undefined) {
      throw new Error(`the database has taken rows of ${name} without keeping them`);
    }
    return row;
  });
}
