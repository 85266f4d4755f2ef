import type { BatchedRequest } from '@store-gateway/ops';
import { auditLists } from './audit.ts';
import { runBatch, runOrSplit } from './batch.ts';
import { createAllOnce, findCreated } from './create-statements.ts';
import {
  answerTaken,
  findTakenBy,
  keyLists,
  nameOfKey,
  rowsOrFault,
  type Deduplicated,
  type KeyedRow,
} from './deduplicated.ts';
import type { Model, Row } from './model.ts';
import { columnLists } from './new-row.ts';
import { numberedRowDecoder } from './rows.ts';
import { createOnceOnShards } from './sharded/creates.ts';
import { findTakenOnShards } from './sharded/find-taken.ts';
import type { TableOptions } from './statement.ts';

type Request = BatchedRequest<KeyedRow, Deduplicated>;

/**
 * Creates a row once, however often it is asked for under one key, by whichever process. Resolves when key and row are
 * committed.
 */
export function createDeduplicatedCreate(model: Model, options: TableOptions, audit?: 'audited') {
  const { write, createBatcher, isFault, isSharded = false } = options;
  const find = findCreated(model, isSharded);
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
  const createFree = isSharded ? createOnceOnShards(model, options, audit) : createTogether();
  const findTaken = isSharded
    ? findTakenOnShards(model, options, 'create')
    : findTakenBy(model, write);

  function createTogether() {
    const insert = createAllOnce(model, audit);
    const decode = numberedRowDecoder(model);
    return async (inputs: readonly KeyedRow[]): Promise<readonly (Row | undefined)[]> =>
      decode(await runBatch(write, insert, parametersOf(inputs, auditLists(inputs))));
  }

  async function createEach(requests: readonly Request[]): Promise<void> {
    // The first request of a key takes it; the others of the batch find it taken.
    const byKey = Map.groupBy(requests, ({ input }) => nameOfKey(input));
    const firsts = [...byKey.values()].flatMap(([first]) => first ?? []);
    if (isSharded) {
      // Rows come before keys there, and what replays each other waits for each other's rows.
      firsts.sort((one, other) => (nameOfKey(one.input) < nameOfKey(other.input) ? -1 : 1));
    }
    const { rows, fault = new Error(`keys of ${model.name} are taken, and aren't there`) } =
      await rowsOrFault(
        createFree(firsts.map(({ input }) => input)),
        (error) => isSharded && requests.length === 1 && isFault(error),
      );
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
      await answerTaken(findTaken(find, parametersOf(left, [])), others, ({ reject }) =>
        reject(fault),
      );
    }
  }

  return createBatcher<KeyedRow, Deduplicated>((requests) =>
    runOrSplit(requests, isFault, createEach),
  );
}
