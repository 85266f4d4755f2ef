import type { TextRow } from '@store-gateway/ops';
import { batchLists, batchStatements, runBatch } from '../batch.ts';
import type { Model, Row } from '../model.ts';
import { rowReader } from '../listed-rows.ts';
import { canonicalOf } from '../column-types.ts';
import { columnOf, quoted } from '../sql.ts';
import type { TableOptions } from '../statement.ts';
import { rawRow, rawRowsReader } from './raw-rows.ts';

/** Finds the rows of ids, each at the place of its id; the requests of a batch in one statement, that of one asks one shard. */
export function createFindByIds(
  model: Model,
  { read, createBatcher }: TableOptions,
): (ids: readonly string[]) => Promise<readonly (Row | undefined)[]> {
  const id = columnOf(model, model.id);
  const { pgType } = id;
  const statements = batchStatements(
    `${model.name}.findByIds`,
    (size) => `
    SELECT ${rawRow(model, 'found')} FROM ${quoted(model.table)} AS found
    WHERE found.${quoted(id.column)} = ${size === 'several' ? `ANY($1::${pgType}[])` : `$1::${pgType}`}`,
  );
  const idPlace = model.columns.indexOf(id);
  const canonical = canonicalOf(id);
  const listsOf = rawRowsReader(model);
  const rowsIn = rowReader(model);
  const find = async (ids: readonly string[]) => {
    const found = new Map<string, TextRow>();
    for (const row of await runBatch(read, statements, [ids])) {
      found.set(canonical(row[idPlace] ?? ''), row);
    }
    const places = ids.map((each) => found.get(canonical(each)));
    // Each is decoded for its own request, since requests may change what they get.
    const rows = rowsIn(listsOf(places.filter((row) => row !== undefined)))
      .decoded()
      .values();
    return places.map((row) => row && rows.next().value);
  };
  return batchLists(createBatcher, find, isServerLost);
}

/** Whether the database has answered that it can't reach a server of its own, which has some of the rows. */
function isServerLost(error: unknown): boolean {
  const thrown = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return thrown instanceof Error && 'code' in thrown && thrown.code === '08006';
}
