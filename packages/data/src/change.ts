import { auditLists } from './audit.ts';
import { runBatch, runEach } from './batch.ts';
import type { BatchedRequest } from '@store-gateway/ops';
import { changeLists, nameOf, runByShape } from './change-batch.ts';
import { changeAll, changeAllAudited } from './change-statements.ts';
import type { RequestedChange } from './encode-change.ts';
import type { Model, Row } from './model.ts';
import { numberedRowDecoder } from './rows.ts';
import { statementsByShape } from './shape-statements.ts';
import { changeOnShards } from './sharded/changes.ts';
import type { TableOptions } from './statement.ts';

type Request = BatchedRequest<RequestedChange, Row | undefined>;

/**
 * Changes a row, and answers with it when that is committed, or with undefined if there is none whose conditions hold.
 * Changes of a batch are made in one statement for each of their shapes, and those of one row one after the other.
 */
export function createChange(
  model: Model,
  options: TableOptions,
  audit?: 'audited',
): (change: RequestedChange) => Promise<Row | undefined> {
  const changeAlike =
    options.isSharded === true
      ? changeEach(changeOnShards(model, options, audit))
      : changeTogether(model, options, audit);
  const change = options.createBatcher<RequestedChange, Row | undefined>((requests) =>
    runByShape(requests, ({ input }) => input.change, options.isFault, changeAlike),
  );
  return async (requested) => (requested.change.id === null ? undefined : change(requested));
}

function changeEach(change: (input: RequestedChange) => Promise<Row | undefined>) {
  return (requests: readonly Request[]) =>
    runEach(requests, async ({ input, resolve }) => resolve(await change(input)));
}

function changeTogether(model: Model, { write }: TableOptions, audit?: 'audited') {
  const textsOf = audit === undefined ? changeAll : changeAllAudited;
  const statementsOf = statementsByShape(nameOf, (shape) => textsOf(model, shape));
  const decode = numberedRowDecoder(model);

  return async (requests: readonly Request[]): Promise<void> => {
    const inputs = requests.map(({ input }) => input);
    const [first] = inputs;
    if (first === undefined) {
      return;
    }
    const changes = changeLists(inputs.map(({ change }) => change));
    const lists = audit === undefined ? changes : [...auditLists(inputs), ...changes];
    const rows = decode(await runBatch(write, statementsOf(first.change.shape), lists));
    for (const [index, { resolve }] of requests.entries()) {
      resolve(rows[index]);
    }
  };
}
