import { auditLists } from './audit.ts';
import { runBatch, runOrSplit } from './batch.ts';
import { createAll, createAllAudited } from './create-statements.ts';
import type { Model, Row } from './model.ts';
import { columnLists, type RequestedRow } from './new-row.ts';
import { numberedRowDecoder } from './rows.ts';
import { createOnShards } from './sharded/creates.ts';
import type { TableOptions } from './statement.ts';

/** Adds a row, and answers when it is committed; those of a batch in one statement, which is one transaction. */
export function createCreate(
  model: Model,
  options: TableOptions,
  audit?: 'audited',
): (row: RequestedRow) => Promise<Row> {
  const createEach =
    options.isSharded === true
      ? createOnShards(model, options, audit)
      : createTogether(model, options, audit);
  return options.createBatcher<RequestedRow, Row>((batch) =>
    runOrSplit(batch, options.isFault, async (requests) => {
      const rows = await createEach(requests.map(({ input }) => input));
      for (const [index, { resolve, reject }] of requests.entries()) {
        const row = rows[index];
        if (row === undefined) {
          reject(new Error(`the database has taken rows of ${model.name} without keeping them`));
        } else {
          resolve(row);
        }
      }
    }),
  );
}

function createTogether(model: Model, { write }: TableOptions, audit?: 'audited') {
  const statements = audit === undefined ? createAll(model) : createAllAudited(model);
  const decode = numberedRowDecoder(model);
  return async (inputs: readonly RequestedRow[]): Promise<readonly (Row | undefined)[]> => {
    const columns = columnLists(
      model,
      inputs.map(({ values }) => values),
    );
    const lists = audit === undefined ? columns : [...auditLists(inputs), ...columns];
    return decode(await runBatch(write, statements, lists));
  };
}
