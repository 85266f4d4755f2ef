import { createHash } from 'node:crypto';
import type { BatchedRequest } from '@store-gateway/ops';
import { auditLists } from './audit.ts';
import { runBatch, runEach } from './batch.ts';
import { changeLists, nameOf, runByShape } from './change-batch.ts';
import { changeAllOnce, findChanged } from './change-once-statements.ts';
import {
  answerTaken,
  findTakenBy,
  keyLists,
  nameOfKey,
  rowsOrFault,
  type Deduplicated,
  type KeyedChange,
} from './deduplicated.ts';
import type { Change, ChangeShape } from './encode-change.ts';
import type { Model, Row } from './model.ts';
import { numberedRowDecoder } from './rows.ts';
import { statementsByShape } from './shape-statements.ts';
import { changeOnceOnShards } from './sharded/changes.ts';
import { findTakenOnShards } from './sharded/find-taken.ts';
import type { TableOptions } from './statement.ts';

type Request = BatchedRequest<KeyedChange, Deduplicated | undefined>;

/**
 * Changes a row once, however often that is asked for under one key, by whichever process. Resolves when key and change are
 * committed; with undefined, and without taking the key, if there is no row whose conditions hold.
 */
export function createDeduplicatedChange(
  model: Model,
  options: TableOptions,
  audit?: 'audited',
): (change: KeyedChange) => Promise<Deduplicated | undefined> {
  const { write, createBatcher, isFault, isSharded = false } = options;
  const find = {
    update: findChanged(model, 'update', isSharded),
    delete: findChanged(model, 'delete', isSharded),
  };
  const changeFree = isSharded
    ? changeOnceOnShards(model, options, audit)
    : changeTogether(model, options, audit);
  const findTaken = isSharded
    ? findTakenOnShards(model, options, 'change')
    : findTakenBy(model, write);

  async function changeEach(requests: readonly Request[]): Promise<void> {
    const inputs = requests.map(({ input }) => input);
    const [first] = inputs;
    if (first === undefined) {
      return;
    }
    const { shape } = first.change;
    const { rows, fault } = await rowsOrFault(
      changeFree(inputs, shape),
      (error) => isSharded && isFault(error),
    );
    const others: Request[] = [];
    for (const [index, request] of requests.entries()) {
      const row = rows[index];
      if (row === undefined) {
        others.push(request);
      } else {
        request.resolve({ row, isReplay: false });
      }
    }
    if (others.length > 0) {
      const left = others.map(({ input }) => input);
      const parameters = [...keyLists(left), left.map(({ fingerprint }) => fingerprint)];
      const taken = findTaken(find[shape.operation], parameters);
      await answerTaken(taken, others, ({ resolve, reject }) =>
        fault === undefined ? resolve(undefined) : reject(fault),
      );
    }
  }

  return createBatcher<KeyedChange, Deduplicated | undefined>((requests) =>
    runByShape(
      requests,
      ({ input }) => input.change,
      isFault,
      isSharded ? (alike) => runEach(alike, (request) => changeEach([request])) : changeEach,
      ({ input }) => [`key ${nameOfKey(input)}`],
    ),
  );
}

function changeTogether(model: Model, { write }: TableOptions, audit?: 'audited') {
  const statementsOf = statementsByShape(nameOf, (shape) => changeAllOnce(model, shape, audit));
  const decode = numberedRowDecoder(model);
  return async (
    inputs: readonly KeyedChange[],
    shape: ChangeShape,
  ): Promise<readonly (Row | undefined)[]> => {
    const lists = [
      ...keyLists(inputs),
      inputs.map(({ fingerprint }) => fingerprint),
      ...auditLists(inputs),
      ...changeLists(inputs.map(({ change }) => change)),
    ];
    return decode(await runBatch(write, statementsOf(shape), lists));
  };
}

/** @param request that the change was made for; by default the change itself */
export function fingerprintOf(
  { shape, id, values }: Change,
  request: string = JSON.stringify([nameOf(shape), id, values]),
): string {
  return createHash('sha256').update(request).digest('base64');
}
