import type { AuditEntry } from './audit.ts';
import type { Model, Row } from './model.ts';
import { numberedRowDecoder } from './rows.ts';
import type { Parameter, RunStatement, Statement } from './statement.ts';

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
export interface Keyed {
  readonly idempotencyKey: IdempotencyKey;
  /** Of each write of a batch, or of none. */
  readonly audit?: AuditEntry | undefined;
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
 * Answers requests whose keys were taken before, in a statement of its own: the one that couldn't take them doesn't see what
 * others commit while it waits for them.
 *
 * @param settleUnknown called for each whose key isn't taken
 */
export function createFindTaken<
  Request extends { readonly resolve: (output: Deduplicated) => void },
>(model: Model, write: RunStatement, settleUnknown: (request: Request) => void) {
  const decode = numberedRowDecoder(model);
  return async (
    statement: Statement,
    requests: readonly Request[],
    parameters: readonly Parameter[],
  ): Promise<void> => {
    const [[reused, ...found] = []] = await write(statement, parameters);
    const rows = decode([found]);
    const isReused = new Set(reused?.split(','));
    for (const [index, request] of requests.entries()) {
      const row = rows[index];
      if (row === undefined && !isReused.has(String(index + 1))) {
        settleUnknown(request);
      } else {
        request.resolve({ row, isReplay: true });
      }
    }
  };
}
