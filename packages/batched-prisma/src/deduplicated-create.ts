import type { BatchedRequest } from '@store-gateway/coalescing/batcher';
import { auditLists } from './audit.ts';
import { runBatch, runOrSplit } from './batch.ts';
import { createAllOnce, findCreated } from './create-statements.ts';
import {
  createFindTaken,
  keyLists,
  nameOfKey,
  type Deduplicated,
  type Keyed,
} from './deduplicated.ts';
import type { Model } from './model.ts';
import { columnLists, type NewRow } from './new-row.ts';
import { numberedRowDecoder } from './rows.ts';
import type { TableOptions } from './statement.ts';

export interface KeyedRow extends Keyed {
  readonly values: NewRow;
}

type Request = BatchedRequest<KeyedRow, Deduplicated>;

/**
 * Creates a row once, however often it is asked for under one key, by whichever process. Resolves when key and row are
 * committed.
 */
export function createDeduplicatedCreate(
  model: Model,
  { write, createBatcher, isFault }: TableOptions,
  audit?: 'audited',
) {
  const insert = createAllOnce(model, audit);
  const find = findCreated(model);
  const decode = numberedRowDecoder(model);
  const parametersOf = (
    inputs: readonly KeyedRow[],
    audits: (string | null)[][],
  ): (string | null)[][] => {
    return [
      ...keyLists(inputs),
      ...audits,
      ...columnLists(
        model,
        inputs.map(({ values }) => values),
      ),
    ];
  };
  const findEach = createFindTaken<Request>(model, write, ({ reject }) =>
    reject(new Error(`keys of ${model.name} are taken, and aren't there`)),
  );

  async function createEach(requests: readonly Request[]): Promise<void> {
    // The first request of a key takes it; the others of the batch find it taken.
    const byKey = Map.groupBy(requests, ({ input }) => nameOfKey(input));
    const firsts = [...byKey.values()].flatMap(([first]) => first ?? []);
    const inputs = firsts.map(({ input }) => input);
    const rows = decode(await runBatch(write, insert, parametersOf(inputs, auditLists(inputs))));
    const others: Request[] = [];
    for (const request of requests) {
      const row = rows[firsts.indexOf(request)];
      if (row === undefined) {
        others.push(request);
      } else {
        request.resolve({ row, isReplay: false });
      }
    }
    if (others.length > 0) {
      const left = others.map(({ input }) => input);
      await findEach(find, others, parametersOf(left, []));
    }
  }

  return createBatcher<KeyedRow, Deduplicated>((requests) =>
    runOrSplit(requests, isFault, createEach),
  );
}
