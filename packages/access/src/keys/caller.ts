import { clientOfKey } from '@store-gateway/http/limits';
import { UNRESTRICTED, type Restrictions, type Scopes } from './restrictions.ts';

export type { Scopes } from './restrictions.ts';

/** Who sends a request: the holder of a valid API key or access token, or a user of the store's own. */
export interface Caller extends Restrictions {
  /** The id of the key; below 0, that of a user. */
  readonly id: bigint;
  /** The same in logs and limits, and as a client of the fair queue: written once, for all of its requests. */
  readonly name: string;
  readonly client: string;
  /** What the store's own authentication says of a user, or the claims of an access token. */
  readonly claims?: unknown;
}

/**
 * A caller without restrictions beyond its scopes.
 *
 * @param id of a key; of a user, negated: so neither meets the other's limits and idempotency keys
 * @param claims of the user's access token
 */
export function callerOfId(id: bigint, scopes: Scopes, claims?: unknown): Caller {
  return { ...UNRESTRICTED, id, name: String(id), client: clientOfKey(id), scopes, claims };
}

/** The holder of a key. */
export function callerOfKey(id: bigint, restrictions: Restrictions): Caller {
  return { ...callerOfId(id, restrictions.scopes), ...restrictions };
}

/** Whether a caller has the scope of this name. */
export function hasScope({ scopes }: Pick<Caller, 'scopes'>, scope: string): boolean {
  return scopes === 'all' || scopes.has(scope);
}
