import type { BatchedRequest, CreateBatcher } from './batcher.ts';
import {
  createDeduplicated,
  findDeduplicated,
  generatorOf,
} from './deduplicated-create-statements.ts';
import { encoderOf } from './encode.ts';
import type { Model } from './model.ts';
import { rowDecoder, type Row } from './rows.ts';
import type { Parameter, RunStatement } from './statement.ts';

/** A name that a caller has given to one create, for a day. Callers don't meet each other's names. */
export interface IdempotencyKey {
  readonly keyId: bigint;
  readonly name: string;
}

export interface DeduplicatedCreate {
  readonly data: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: IdempotencyKey;
}

/** The row as it was created for this request or for an earlier one that was the same, unless the key was another's. */
export type Deduplicated<Created = Row> =
  { readonly reused: false; readonly row: Created } | { readonly reused: true };

interface Encoded {
  readonly idempotencyKey: IdempotencyKey;
  readonly values: readonly (string | null)[];
}

type Request = BatchedRequest<Encoded, Deduplicated>;

/**
 * Creates a row of the model once, however often it is asked for under one key, by whichever process: see
 * `createDeduplicated`. Resolves when key and row are committed.
 */
export function createDeduplicatedCreate(
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): (create: DeduplicatedCreate) => Promise<Deduplicated> {
  const insert = createDeduplicated(model);
  const find = findDeduplicated(model);
  const decode = rowDecoder(model);

  async function settle(requests: readonly Request[], isRetry = false): Promise<void> {
    // Of those of one key, the first takes it, and the others find it taken.
    const firsts = new Map<string, Request>();
    for (const request of requests) {
      const { keyId, name } = request.input.idempotencyKey;
      const key = `${keyId} ${name}`;
      firsts.set(key, firsts.get(key) ?? request);
    }
    const taking = [...firsts.values()];
    const [[numbers, ...lists] = []] = await run(insert, parametersOf(model, taking));
    const created = new Set(resolveEach(taking, numbers, decode(lists)));
    const others = requests.filter((request) => !created.has(request));
    const missing = others.length === 0 ? [] : await findEach(others);
    if (missing.length > 0) {
      if (isRetry) {
        throw new Error('an idempotency key is taken, and by nothing');
      }
      // Removed between the two statements, since it had become a day old.
      await settle(missing, true);
    }
  }

  /** In a statement of its own: the first doesn't see what others commit while it waits for them. */
  async function findEach(requests: readonly Request[]): Promise<Request[]> {
    const [[reused, numbers, ...lists] = []] = await run(find, parametersOf(model, requests));
    const found = new Set(resolveEach(requests, numbers, decode(lists)));
    for (const request of numbered(requests, reused)) {
      found.add(request);
      request.resolve({ reused: true });
    }
    return requests.filter((request) => !found.has(request));
  }

  const request = createBatcher<Encoded, Deduplicated>((requests) => settle(requests));
  const encode = rowEncoder(model);
  return async ({ data, idempotencyKey }) => request({ idempotencyKey, values: encode(data) });
}

function parametersOf({ columns }: Model, requests: readonly Request[]): Parameter[] {
  return [
    requests.map(({ input }) => String(input.idempotencyKey.keyId)),
    requests.map(({ input }) => input.idempotencyKey.name),
    ...columns.map((_column, index) => requests.map(({ input }) => input.values[index] ?? null)),
  ];
}

function resolveEach(
  requests: readonly Request[],
  numbers: string | null | undefined,
  rows: readonly Row[],
): Request[] {
  const settled = numbered(requests, numbers);
  for (const [index, { resolve }] of settled.entries()) {
    const row = rows[index];
    if (row !== undefined) {
      resolve({ reused: false, row });
    }
  }
  return settled;
}

/** The requests that a list of numbers from 1 names. */
function numbered(requests: readonly Request[], numbers: string | null | undefined): Request[] {
  return (numbers?.split(',') ?? []).flatMap((number) => requests[Number(number) - 1] ?? []);
}

/** @returns the parameters of all columns; null is also for what the database is to generate */
function rowEncoder(model: Model): (data: DeduplicatedCreate['data']) => (string | null)[] {
  const fields = new Set(model.columns.map(({ field }) => field));
  const columns = model.columns.map((column) => ({
    ...column,
    encode: encoderOf(column),
    isGenerated: generatorOf(model, column) !== undefined,
  }));
  return (data) => {
    const unknown = Object.keys(data).find((field) => !fields.has(field));
    if (unknown !== undefined) {
      throw new TypeError(`a deduplicated create sets columns alone, not ${model.name}.${unknown}`);
    }
    return columns.map(({ field, isRequired, isGenerated, encode, default: byDefault }) => {
      const constant = typeof byDefault === 'object' ? byDefault.constant : undefined;
      const value = data[field] ?? (data[field] === undefined ? constant : null);
      if (value === undefined && (isGenerated || (!isRequired && byDefault === undefined))) {
        return null;
      }
      const encoded = value === undefined ? undefined : encode(value);
      if (encoded === undefined) {
        throw new TypeError(`a deduplicated create can't store this value of ${model.name}.${field}`);
      }
      return encoded;
    });
  };
}
