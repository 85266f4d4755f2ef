import type { Statement } from '@store-gateway/ops';
import type { AuditEntry } from './audit.ts';
import type { Change } from './encode-change.ts';
import type { Model, Row } from './model.ts';
import type { NewRow } from './new-row.ts';
import { numberedRowDecoder } from './rows.ts';
import type { Parameter, RunStatement } from './statement.ts';

/** A name that a caller has given to one write, for a day. Callers don't meet each other's names. */
export interface IdempotencyKey {
  readonly keyId: bigint;
  readonly name: string;
}

export interface Deduplicated {
  /** As it was when this was first done; undefined if the key was used for something else. */
  readonly row: Row | undefined;
  /** Whether that was done before. */
  readonly isReplay: boolean;
}

/** What is to be done once under a key. */
interface Keyed {
  readonly idempotencyKey: IdempotencyKey;
  /** Of each write of a batch, or of none. */
  readonly audit?: AuditEntry | undefined;
}

export interface KeyedRow extends Keyed {
  readonly values: NewRow;
}

export interface KeyedChange extends Keyed {
  readonly change: Change;
  /** What a replay repeats. */
  readonly fingerprint: string;
}

export function nameOfKey({ idempotencyKey: { keyId, name } }: Keyed): string {
  return `${keyId} ${name}`;
}

/** The parameters that are keys. */
export function keyLists(inputs: readonly Keyed[]): string[][] {
  return [
    inputs.map(({ idempotencyKey }) => String(idempotencyKey.keyId)),
    inputs.map(({ idempotencyKey }) => idempotencyKey.name),
  ];
}

/**
 * Rows that are written under keys; none, and why, for a fault that may be that of a replay. On shards rows are written before
 * keys are taken, so that what was done before may be in the way.
 */
export async function rowsOrFault(
  written: Promise<readonly (Row | undefined)[]>,
  mayBeReplay: (error: unknown) => boolean,
): Promise<{ readonly rows: readonly (Row | undefined)[]; readonly fault?: unknown }> {
  try {
    return { rows: await written };
  } catch (error) {
    if (!mayBeReplay(error)) {
      throw error;
    }
    return { rows: [], fault: error };
  }
}

/** Finds what keys were taken for: the numbers of those that were taken for something else, and the rows of the others. */
export type FindTaken = (
  statement: Statement,
  parameters: readonly Parameter[],
) => Promise<{
  readonly reused: string | null | undefined;
  readonly rows: readonly (Row | undefined)[];
}>;

export function findTakenBy(model: Model, write: RunStatement): FindTaken {
  const decode = numberedRowDecoder(model);
  return async (statement, parameters) => {
    const [[reused, ...found] = []] = await write(statement, parameters);
    return { reused, rows: decode([found]) };
  };
}

/**
 * Answers requests whose keys were taken before, in a statement of its own: the one that couldn't take them doesn't see what
 * others commit while it waits for them.
 *
 * @param settleUnknown called for each whose key isn't taken
 */
export async function answerTaken<
  Request extends { readonly resolve: (output: Deduplicated) => void },
>(
  taken: ReturnType<FindTaken>,
  requests: readonly Request[],
  settleUnknown: (request: Request) => void,
): Promise<void> {
  const { reused, rows } = await taken;
  const isReused = new Set(reused?.split(','));
  for (const [index, request] of requests.entries()) {
    const row = rows[index];
    if (row === undefined && !isReused.has(String(index + 1))) {
      settleUnknown(request);
    } else {
      request.resolve({ row, isReplay: true });
    }
  }
}
