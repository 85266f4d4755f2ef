import type { TextRow } from '@store-gateway/ops';
import { batchLists, batchStatements, type BatchStatements } from '../batch.ts';
import { canonicalOf } from '../column-types.ts';
import { arrayOf, placed, type FindByIds, type WantedRow } from '../find-by-ids.ts';
import { rowReader } from '../listed-rows.ts';
import type { Column, Model, Row } from '../model.ts';
import { statementsByShape } from '../shape-statements.ts';
import { columnOf, quoted } from '../sql.ts';
import type { TableOptions } from '../statement.ts';
import { rawRow, rawRowsReader } from './raw-rows.ts';

/** Reads rows by their ids. The requests of a batch with the same conditions share a statement; that of one row asks one shard. */
export function createFindByIds(
  model: Model,
  { read, createBatcher, isFault }: TableOptions,
): FindByIds {
  const id = columnOf(model, model.id);
  const statementsOf = statementsByShape(
    (columns: readonly Column[]) => columns.map(({ field }) => field).join(),
    (columns) => findByIds(model, columns),
  );
  const unconditional = findByIds(model, []);
  const idPlace = model.columns.indexOf(id);
  const canonical = canonicalOf(id);
  const listsOf = rawRowsReader(model);
  const rowsIn = rowReader(model);

  async function findAlike(wanted: readonly WantedRow[]): Promise<readonly (Row | undefined)[]> {
    const conditions = wanted[0]?.conditions ?? [];
    const columns = conditions.map(({ column }) => column);
    const { several, single } = columns.length === 0 ? unconditional : statementsOf(columns);
    const ids = wanted.map((each) => each.id);
    const values = conditions.map(arrayOf);
    const [only = '', ...others] = ids;
    const rows =
      others.length === 0
        ? await read(single, [only, ...values])
        : await read(several, [ids, ...values]);
    const found = new Map<string, TextRow>();
    for (const row of rows) {
      found.set(canonical(row[idPlace] ?? ''), row);
    }
    const places = ids.map((each) => found.get(canonical(each)));
    // Each is decoded for its own request, since requests may change what they get.
    const decoded = rowsIn(listsOf(places.filter((row) => row !== undefined)))
      .decoded()
      .values();
    return places.map((row) => row && decoded.next().value);
  }

  const find = batchLists(
    createBatcher,
    async (wanted: readonly WantedRow[]) => {
      const alike = Map.groupBy(wanted.entries(), ([, { conditions }]) =>
        JSON.stringify(conditions.map(({ column, value }) => [column.field, value])),
      );
      return placed(alike.values(), findAlike);
    },
    (error) => isFault(error) || isServerLost(error),
  );
  return (ids, conditions = []) => find(ids.map((each) => ({ id: each, conditions })));
}

function findByIds(model: Model, columns: readonly Column[]): BatchStatements {
  const id = columnOf(model, model.id);
  const conditions = columns.map(
    ({ column, pgType }, place) => ` AND found.${quoted(column)} = ANY($${place + 2}::${pgType}[])`,
  );
  return batchStatements(
    `${model.name}.findByIds`,
    (size) => `
    SELECT ${rawRow(model, 'found')} FROM ${quoted(model.table)} AS found
    WHERE found.${quoted(id.column)} = ${size === 'several' ? `ANY($1::${id.pgType}[])` : `$1::${id.pgType}`}${conditions.join('')}`,
  );
}

/** Whether the database has answered that it can't reach a server of its own, which has some of the rows. */
function isServerLost(error: unknown): boolean {
  const thrown = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return thrown instanceof Error && 'code' in thrown && thrown.code === '08006';
}
