import { LRUCache } from 'lru-cache';
import type { Database } from '../database/client.ts';
import { codedError } from '../errors.ts';
import { hashApiKey, isApiKey } from './api-key.ts';
import { bearerToken } from './bearer.ts';
import type { Caller } from './caller.ts';

/** Tells who sends an Authorization header; throws UNAUTHENTICATED for whoever has no valid key. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>;

/**
 * A key is asked for again this long after it was last read. With the time that reading it may take,
 * under 2 s (src/database/pool.ts), a revoked key stops working everywhere within 5 s.
 */
const REMEMBERED_MILLISECONDS = 3000;
const REMEMBERED_KEYS = 10_000;

/** What callers are told who may not come in. */
export const REFUSALS = {
  noKey: 'An API key is required: Authorization: Bearer <API_KEY>',
  invalidKey: 'The API key is not valid',
} as const;

interface KnownKey {
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
}

/** Knows the keys of one database. Good keys are remembered, refused ones are not. */
export function createAuthenticate(database: Database): Authenticate {
  // As they are sent: they are in memory while a request is under way, and to hash the key of each request
  // would take longer than all else that is done to tell who sends it.
  const knownKeys = new LRUCache<string, KnownKey>({
    max: REMEMBERED_KEYS,
    ttl: REMEMBERED_MILLISECONDS,
    // A key that has to make room while it is being read is still a good one.
    ignoreFetchAbort: true,
    // Requests with the same key that come while it is read share the one query.
    fetchMethod: async (key) => {
      const valid = await database.apiKey.findByHash(hashApiKey(key));
      return valid && { caller: { keyId: valid.id }, expiresAt: valid.expiresAt };
    },
  });

  return async function authenticate(authorization) {
    const key = bearerToken(authorization);
    if (key === undefined) {
      throw codedError('UNAUTHENTICATED', REFUSALS.noKey);
    }
    const known = knownKeys.get(key) ?? (isApiKey(key) ? await knownKeys.fetch(key) : undefined);
    if (known === undefined || (known.expiresAt !== null && known.expiresAt <= Date.now())) {
      throw codedError('UNAUTHENTICATED', REFUSALS.invalidKey);
    }
    return known.caller;
  };
}
