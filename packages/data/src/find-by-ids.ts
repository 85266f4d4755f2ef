import { batchLists, batchStatements, runBatch } from './batch.ts';
import type { Model } from './model.ts';
import { numberedRow, numberedRowDecoder, numberedRows } from './rows.ts';
import { columnOf, quoted } from './sql.ts';
import type { TableOptions } from './statement.ts';

/** Finds the rows of ids, each at the place of its id; the requests of a batch in one statement. */
export function createFindByIds(model: Model, { read, createBatcher }: TableOptions) {
  const table = quoted(model.table);
  const { column, pgType } = columnOf(model, model.id);
  const statements = batchStatements(`${model.name}.findByIds`, (size) =>
    size === 'several'
      ? `
    SELECT ${numberedRows(model, 'found', 'requested.number')}
    FROM unnest($1::${pgType}[]) WITH ORDINALITY AS requested (id, number)
    JOIN ${table} AS found ON found.${quoted(column)} = requested.id`
      : `
    SELECT ${numberedRow(model, 'found')} FROM ${table} AS found
    WHERE found.${quoted(column)} = $1::${pgType}`,
  );
  const decode = numberedRowDecoder(model);
  // Each is decoded for its own request, since requests may change what they get.
  return batchLists(createBatcher, async (ids: readonly string[]) =>
    decode(await runBatch(read, statements, [ids])),
  );
}
