import type { TextRow } from '@store-gateway/ops';
import { auditLists } from '../audit.ts';
import { batchStatements, runBatch } from '../batch.ts';
import { nameOf } from '../change-batch.ts';
import { keyLists, type KeyedChange } from '../deduplicated.ts';
import type { Change, ChangeShape, RequestedChange } from '../encode-change.ts';
import type { Model, Row } from '../model.ts';
import { columnLists } from '../new-row.ts';
import { numberedRowDecoder } from '../rows.ts';
import { statementsByShape } from '../shape-statements.ts';
import type { RunStatement, TableOptions } from '../statement.ts';
import { keepAll } from './keep-statements.ts';
import { rawRowDecoder } from './raw-rows.ts';
import { beginWrite, changeRow, storesTime, type Answered } from './write-statements.ts';

/** Changes a row, and answers with it, if there is one whose conditions hold. */
export function changeOnShards(
  model: Model,
  options: TableOptions,
  audit?: 'audited',
): (input: RequestedChange) => Promise<Row | undefined> {
  if (audit !== undefined) {
    return keptChange(model, options, { isOnce: false, isAudited: true }, () => []);
  }
  const change = changer(model, 'raw');
  const decode = rawRowDecoder(model);
  return async (input) => decode(await change(options.write, input.change))[0];
}

/** Changes rows, and answers with those that there are, whose conditions hold, and whose keys are free. */
export function changeOnceOnShards(
  model: Model,
  options: TableOptions,
  audit?: 'audited',
): (inputs: readonly KeyedChange[]) => Promise<readonly (Row | undefined)[]> {
  const kept = { isOnce: true, isAudited: audit !== undefined };
  const change = keptChange(model, options, kept, (input: KeyedChange) => [
    ...keyLists([input]),
    [input.fingerprint],
  ]);
  return (inputs) => Promise.all(inputs.map(change));
}

function keptChange<Input extends RequestedChange>(
  model: Model,
  { transaction }: TableOptions,
  kept: Parameters<typeof keepAll>[2],
  requestOf: (input: Input) => string[][],
): (input: Input) => Promise<Row | undefined> {
  const change = changer(model, 'asStored');
  const keep = {
    update: keepAll(model, 'update', kept),
    delete: keepAll(model, 'delete', kept),
  };
  const begin = beginWrite(model);
  const decode = numberedRowDecoder(model);
  return (input) =>
    transaction(begin, async (run) => {
      const written = await change(run, input.change);
      if (written.length === 0) {
        return undefined;
      }
      const lists = [...requestOf(input), ...auditLists([input]), ...columnLists(model, written)];
      const [row] = decode(await runBatch(run, keep[input.change.shape.operation], lists));
      return row;
    });
}

function changer(model: Model, answered: Answered) {
  const statementsOf = statementsByShape(nameOf, (shape: ChangeShape) =>
    batchStatements(
      `${model.name}.${shape.operation}All${answered === 'raw' ? '' : 'AsStored'}`,
      () => changeRow(model, shape, answered),
    ),
  );
  return async (run: RunStatement, { shape, id, values }: Change): Promise<readonly TextRow[]> => {
    // No row has the id null, and Citus fails because it finds no shard for it.
    if (id === null) {
      return [];
    }
    const time = storesTime(model, shape) ? ['now'] : [];
    return run(statementsOf(shape).single, [id, ...values, ...time]);
  };
}
