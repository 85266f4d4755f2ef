import { runBatchStatement } from './batch-statements.ts';
import type { BatchedRequest } from '@gateway/coalescing/batcher';
import { createAllOnce, findCreated } from './create-statements.ts';
import type { Model, Row } from './model.ts';
import type { NewRow } from './new-row.ts';
import { rowDecoder } from './rows.ts';
import type { TableOptions } from './table-options.ts';

/** A name that a caller has given to one create, for a day. Callers don't meet each other's names. */
export interface IdempotencyKey {
  readonly keyId: bigint;
  readonly name: string;
}

/** The row as it was first created for this request, perhaps earlier, unless the key was used for something else. */
export type Deduplicated =
  | { readonly reused: false; readonly isReplay: boolean; readonly row: Row }
  | { readonly reused: true };

interface KeyedRow {
  readonly idempotencyKey: IdempotencyKey;
  readonly values: NewRow;
}

/**
 * Creates a row once, however often it is asked for under one key, by whichever process. Resolves when key and row are
 * committed.
 */
export type CreateOnce = (row: KeyedRow) => Promise<Deduplicated>;

type Request = BatchedRequest<KeyedRow, Deduplicated>;

export function createDeduplicatedCreate(
  model: Model,
  { write, createBatcher, isFault }: Pick<TableOptions, 'write' | 'createBatcher' | 'isFault'>,
): CreateOnce {
  const insert = createAllOnce(model);
  const find = findCreated(model);
  const decode = rowDecoder(model);
  const parametersOf = (requests: readonly Request[]): (string | null)[][] => [
    requests.map(({ input }) => String(input.idempotencyKey.keyId)),
    requests.map(({ input }) => input.idempotencyKey.name),
    ...model.columns.map((_column, index) =>
      requests.map(({ input }) => input.values[index] ?? null),
    ),
  ];

  async function createEach(requests: readonly Request[], isRetry = false): Promise<void> {
    const firsts = firstOfEachKey(requests);
    const [[numbers, ...lists] = []] = await runBatchStatement(write, insert, parametersOf(firsts));
    const created = resolveEach(numbered(firsts, numbers), decode(lists), false);
    const others = requests.filter((request) => !created.has(request));
    const missing = others.length === 0 ? [] : await findEach(others);
    if (missing.length > 0 && isRetry) {
      throw new Error(`keys of ${model.name} are taken, and aren't there`);
    }
    if (missing.length > 0) {
      // Their day was over between the two statements.
      await createEach(missing, true);
    }
  }

  /** In a statement of its own: the first one doesn't see what others commit while it waits for them. */
  async function findEach(requests: readonly Request[]): Promise<Request[]> {
    const [[reused, numbers, ...lists] = []] = await write(find, parametersOf(requests));
    const found = resolveEach(numbered(requests, numbers), decode(lists), true);
    for (const request of numbered(requests, reused)) {
      found.add(request);
      request.resolve({ reused: true });
    }
    return requests.filter((request) => !found.has(request));
  }

  /** Creates together, or, if the database finds fault with that, each alone: none is refused for another's values. */
  return createBatcher<KeyedRow, Deduplicated>(async (requests) => {
    try {
      await createEach(requests);
    } catch (error) {
      if (requests.length === 1 || !isFault(error)) {
        throw error;
      }
      await Promise.all(
        requests.map((request) => createEach([request]).catch((fault) => request.reject(fault))),
      );
    }
  });
}

/** The first request of a key takes it; the others of the batch find it taken. */
function firstOfEachKey(requests: readonly Request[]): Request[] {
  const firsts = new Map<string, Request>();
  for (const request of requests) {
    const { keyId, name } = request.input.idempotencyKey;
    const key = `${keyId} ${name}`;
    if (!firsts.has(key)) {
      firsts.set(key, request);
    }
  }
  return [...firsts.values()];
}

/** The requests that a list of numbers from 1 names. */
function numbered(requests: readonly Request[], numbers: string | null | undefined): Request[] {
  return (numbers?.split(',') ?? []).flatMap((number) => requests[Number(number) - 1] ?? []);
}

function resolveEach(
  requests: readonly Request[],
  rows: readonly Row[],
  isReplay: boolean,
): Set<Request> {
  for (const [index, { resolve }] of requests.entries()) {
    const row = rows[index];
    if (row !== undefined) {
      resolve({ reused: false, isReplay, row });
    }
  }
  return new Set(requests);
}
