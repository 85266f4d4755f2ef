import { clientOfKey } from '@gateway/fair-scheduling/client-of-key';

/** Who sends a request: the holder of a valid API key, or a user of the store's own. */
export interface Caller {
  /** The id of the key; below 0, that of a user. */
  readonly id: bigint;
  /** The same in logs and limits, and as a client of the fair queue: written once, for all of its requests. */
  readonly name: string;
  readonly client: string;
  /** What the store's own authentication says of a user. */
  readonly claims?: unknown;
}

/** @param id of a key; of a user, negated: so neither meets the other's limits and idempotency keys */
export function callerOfId(id: bigint, claims?: unknown): Caller {
  return { id, name: String(id), client: clientOfKey(id), claims };
}
