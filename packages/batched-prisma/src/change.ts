import { runBatch } from './batch.ts';
import type { BatchedRequest } from '@gateway/coalescing/batcher';
import { changeLists, nameOf, runByShape } from './change-batch.ts';
import { changeAll } from './change-statements.ts';
import type { Change } from './encode-change.ts';
import type { Model, Row } from './model.ts';
import { numberedRowDecoder } from './rows.ts';
import { statementsByShape } from './shape-statements.ts';
import type { TableOptions } from './statement.ts';

type Request = BatchedRequest<Change, Row | undefined>;

/**
 * Changes a row, and answers with it when that is committed, or with undefined if there is none whose conditions hold.
 * Changes of a batch are made in one statement for each of their shapes, and those of one row one after the other.
 */
export function createChange(
  model: Model,
  { write, createBatcher, isFault }: TableOptions,
): (change: Change) => Promise<Row | undefined> {
  const statementsOf = statementsByShape(nameOf, (shape) => changeAll(model, shape));
  const decode = numberedRowDecoder(model);

  async function changeEach(requests: readonly Request[]): Promise<void> {
    const [first] = requests;
    if (first === undefined) {
      return;
    }
    const lists = changeLists(requests.map(({ input }) => input));
    const rows = decode(await runBatch(write, statementsOf(first.input.shape), lists));
    for (const [index, { resolve }] of requests.entries()) {
      resolve(rows[index]);
    }
  }

  return createBatcher((requests) =>
    runByShape(requests, ({ input }) => input, isFault, changeEach),
  );
}
