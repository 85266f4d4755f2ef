import { batchStatements, type BatchStatements } from '../batch.ts';
import { canonicalOf } from '../column-types.ts';
import { arrayOf, batchFinds, statementsByColumns, type FindByIds } from '../find-by-ids.ts';
import type { Column, Model } from '../model.ts';
import { columnOf, quoted } from '../sql.ts';
import type { TableOptions } from '../statement.ts';
import { rawRow, rawRowReader } from './raw-rows.ts';

/** Reads rows by their ids. The requests of a batch with the same conditions share a statement; that of one row asks one shard. */
export function createFindByIds(
  model: Model,
  { read, createBatcher, isFault }: TableOptions,
): FindByIds {
  const id = columnOf(model, model.id);
  const statementsOf = statementsByColumns((columns) => findByIds(model, columns));
  const idPlace = model.columns.indexOf(id);
  const canonical = canonicalOf(id);
  const rowsIn = rawRowReader(model);

  return batchFinds(
    createBatcher,
    (error) => isFault(error) || isServerLost(error),
    ({ conditions }) =>
      JSON.stringify(conditions.map(({ column, value }) => [column.field, value])),
    async (wanted, conditions) => {
      const { several, single } = statementsOf(conditions.map(({ column }) => column));
      const ids = wanted.map((each) => each.id);
      const values = conditions.map(arrayOf);
      const rows = await (ids.length === 1
        ? read(single, [...ids, ...values])
        : read(several, [ids, ...values]));
      const found = new Map(rows.map((row) => [canonical(row[idPlace] ?? ''), row]));
      const places = ids.map((each) => found.get(canonical(each)));
      // Each is decoded for its own request, since requests may change what they get.
      const decoded = rowsIn(places.filter((row) => row !== undefined))
        .decoded()
        .values();
      return places.map((row) => row && decoded.next().value);
    },
  );
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
