import type { BatchedRequest } from '@gateway/coalescing/batcher';
import { runBatch, runOrSplit } from './batch.ts';
import { createAllOnce, findCreated } from './create-statements.ts';
import type { Model, Row } from './model.ts';
import { columnLists, type NewRow } from './new-row.ts';
import { numberedRowDecoder } from './rows.ts';
import type { TableOptions } from './statement.ts';

/** A name that a caller has given to one create, for a day. Callers don't meet each other's names. */
export interface IdempotencyKey {
  readonly keyId: bigint;
  readonly name: string;
}

interface Deduplicated {
  /** As it was first created for this request; undefined if the key was used for something else. */
  readonly row: Row | undefined;
  /** Whether that was done before. */
  readonly isReplay: boolean;
}

interface KeyedRow {
  readonly idempotencyKey: IdempotencyKey;
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
) {
  const insert = createAllOnce(model);
  const find = findCreated(model);
  const decode = numberedRowDecoder(model);
  const parametersOf = (requests: readonly Request[]): (string | null)[][] => [
    requests.map(({ input }) => String(input.idempotencyKey.keyId)),
    requests.map(({ input }) => input.idempotencyKey.name),
    ...columnLists(
      model,
      requests.map(({ input }) => input.values),
    ),
  ];

  async function createEach(requests: readonly Request[]): Promise<void> {
    // The first request of a key takes it; the others of the batch find it taken.
    const byKey = Map.groupBy(
      requests,
      ({ input: { idempotencyKey } }) => `${idempotencyKey.keyId} ${idempotencyKey.name}`,
    );
    const firsts = [...byKey.values()].flatMap(([first]) => first ?? []);
    const rows = decode(await runBatch(write, insert, parametersOf(firsts)));
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
      await findEach(others);
    }
  }

  /** In a statement of its own: the first one doesn't see what others commit while it waits for them. */
  async function findEach(requests: readonly Request[]): Promise<void> {
    const [[reused, ...found] = []] = await write(find, parametersOf(requests));
    const rows = decode([found]);
    const isReused = new Set(reused?.split(','));
    for (const [index, { resolve, reject }] of requests.entries()) {
      const row = rows[index];
      if (row === undefined && !isReused.has(String(index + 1))) {
        reject(new Error(`keys of ${model.name} are taken, and aren't there`));
      } else {
        resolve({ row, isReplay: true });
      }
    }
  }

  return createBatcher<KeyedRow, Deduplicated>((requests) =>
    runOrSplit(requests, isFault, createEach),
  );
}
