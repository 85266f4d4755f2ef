import { runBatchStatement } from './batch-statements.ts';
import type { CreateBatcher } from '@gateway/coalescing/batcher';
import { createAll } from './create-statements.ts';
import type { Model, Row } from './model.ts';
import type { NewRow } from './new-row.ts';
import { rowDecoder } from './rows.ts';
import type { RunStatement } from './statement.ts';

/** Adds a row, and answers when it is committed; those of a batch in one statement, which is one transaction. */
export function createCreate(
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): (row: NewRow) => Promise<Row> {
  const statements = createAll(model);
  const decode = rowDecoder(model);
  return createBatcher(async (requests) => {
    const [[numbers, ...lists] = []] = await runBatchStatement(
      run,
      statements,
      model.columns.map((_column, index) => requests.map(({ input }) => input[index] ?? null)),
    );
    const rows = decode(lists);
    if (rows.length < requests.length) {
      throw new Error(`the database has taken rows of ${model.name} without keeping them`);
    }
    for (const [index, number] of (numbers?.split(',') ?? []).entries()) {
      const row = rows[index];
      if (row !== undefined) {
        requests[Number(number) - 1]?.resolve(row);
      }
    }
  });
}
