import { createHash } from 'node:crypto';
import type { BatchedRequest } from '@store-gateway/coalescing/batcher';
import { auditLists } from './audit.ts';
import { runBatch } from './batch.ts';
import { changeLists, nameOf, runByShape } from './change-batch.ts';
import { changeAllOnce, findChanged } from './change-once-statements.ts';
import {
  createFindTaken,
  keyLists,
  nameOfKey,
  type Deduplicated,
  type Keyed,
} from './deduplicated.ts';
import type { Change } from './encode-change.ts';
import type { Model } from './model.ts';
import { numberedRowDecoder } from './rows.ts';
import { statementsByShape } from './shape-statements.ts';
import type { TableOptions } from './statement.ts';

export interface KeyedChange extends Keyed {
  readonly change: Change;
  /** What a replay repeats. */
  readonly fingerprint: string;
}

type Request = BatchedRequest<KeyedChange, Deduplicated | undefined>;

/**
 * Changes a row once, however often that is asked for under one key, by whichever process. Resolves when key and change are
 * committed; with undefined, and without taking the key, if there is no row whose conditions hold.
 */
export function createDeduplicatedChange(
  model: Model,
  { write, createBatcher, isFault }: TableOptions,
  audit?: 'audited',
): (change: KeyedChange) => Promise<Deduplicated | undefined> {
  const statementsOf = statementsByShape(nameOf, (shape) => changeAllOnce(model, shape, audit));
  const find = { update: findChanged(model, 'update'), delete: findChanged(model, 'delete') };
  const decode = numberedRowDecoder(model);
  const findEach = createFindTaken<Request>(model, write, ({ resolve }) => resolve(undefined));

  async function changeEach(requests: readonly Request[]): Promise<void> {
    const inputs = requests.map(({ input }) => input);
    const [first] = inputs;
    if (first === undefined) {
      return;
    }
    const { shape } = first.change;
    const lists = [
      ...keyLists(inputs),
      inputs.map(({ fingerprint }) => fingerprint),
      ...auditLists(inputs),
      ...changeLists(inputs.map(({ change }) => change)),
    ];
    const rows = decode(await runBatch(write, statementsOf(shape), lists));
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
      await findEach(find[shape.operation], others, parameters);
    }
  }

  return createBatcher<KeyedChange, Deduplicated | undefined>((requests) =>
    runByShape(
      requests,
      ({ input }) => input.change,
      isFault,
      changeEach,
      ({ input }) => [`key ${nameOfKey(input)}`],
    ),
  );
}

/** @param request that the change was made for; by default the change itself */
export function fingerprintOf(
  { shape, id, values }: Change,
  request: string = JSON.stringify([nameOf(shape), id, values]),
): string {
  return createHash('sha256').update(request).digest('base64');
}
