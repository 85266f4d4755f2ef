import { runBatch } from './batch.ts';
import { createAll } from './create-statements.ts';
import type { Model, Row } from './model.ts';
import { columnLists, type NewRow } from './new-row.ts';
import { numberedRowDecoder } from './rows.ts';
import type { TableOptions } from './statement.ts';

/** Adds a row, and answers when it is committed; those of a batch in one statement, which is one transaction. */
export function createCreate(
  model: Model,
  { write, createBatcher }: TableOptions,
): (row: NewRow) => Promise<Row> {
  const statements = createAll(model);
  const decode = numberedRowDecoder(model);
  return createBatcher(async (requests) => {
    const lists = columnLists(
      model,
      requests.map(({ input }) => input),
    );
    const rows = decode(await runBatch(write, statements, lists));
    for (const [index, { resolve, reject }] of requests.entries()) {
      const row = rows[index];
      if (row === undefined) {
        reject(new Error(`the database has taken rows of ${model.name} without keeping them`));
      } else {
        resolve(row);
      }
    }
  });
}
