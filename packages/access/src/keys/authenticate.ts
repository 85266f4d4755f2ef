import { LRUCache } from 'lru-cache';
import { codedError } from '@store-gateway/ops/errors';
import { clientOfKey, type RateLimit } from '@store-gateway/http/limits';
import { loggedRequest, type AuthenticationOutcome } from '@store-gateway/ops';
import {
  type Caller,
  callerOfKey,
  findKey,
  findValidKeys,
  isApiKey,
  type KeyLookups,
  scopesWithin,
} from './api-keys.ts';
import { createDeferredLookups, createFailedAttempts } from './failed-attempts.ts';

// RFC 6750, 2.1, with the scheme in any case (RFC 9110, 11.1). Node has already trimmed the value: a regular expression that
// trims it would take time quadratic in its length.
const BEARER = /^bearer +([^ ].*)$/i;

/** Returns the token of an `Authorization: Bearer` header; undefined if there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

/** The messages of UNAUTHENTICATED, for the contract. */
export const REFUSALS = {
  noKey: 'An API key is required: Authorization: Bearer <API_KEY>',
  invalidKey: 'The API key is not valid',
  /** An example of the message for an expired key. */
  expiredKey: expiredMessage(new Date('2026-01-31T12:00Z')),
} as const;

/** Returns the message for an expired key. Only the key's holder sees it, because the key was found by its hash. */
function expiredMessage(at: Date): string {
  const [date = '', time = ''] = at.toISOString().split('T');
  return `The API key expired on ${date} at ${time.slice(0, 5)} UTC`;
}

const MAX_VALID_KEYS = 10_000;

/** Maximum total length of the remembered keys. A store's own tokens may be long. */
const MAX_VALID_KEY_CHARACTERS = 10_000_000;

/**
 * Maps API keys to their clients in the fair queue. It contains the keys whose last lookup found them valid, and doesn't replace
 * authentication.
 */
export type ValidKeys = Pick<LRUCache<string, string>, 'has' | 'get' | 'set' | 'delete'>;

/** Creates an empty cache for at most 10,000 keys and 10,000,000 characters, which evicts the least recently used keys first. */
export function createValidKeys(): ValidKeys {
  return new LRUCache<string, string>({
    max: MAX_VALID_KEYS,
    maxSize: MAX_VALID_KEY_CHARACTERS,
    sizeCalculation: (_client, key) => key.length,
  });
}

/**
 * Authenticates an Authorization header.
 *
 * @param address returns the client's address; called only if the key isn't cached
 * @throws UNAUTHENTICATED if the key is missing or invalid, TOO_MANY_REQUESTS after too many invalid keys
 */
type Authenticate = (authorization: string | undefined, address: () => string) => Promise<Caller>;

/**
 * How long a valid key is cached. A lookup takes less than 2 s (packages/postgres/src/pool.ts), so a revoked key stops working
 * everywhere within 5 s.
 */
const CACHE_TTL_MS = 3000;
const MAX_CACHED_KEYS = 10_000;
/** Maximum number of keys that one statement looks up. */
const MAX_DEFERRED_KEYS = 1000;

interface CachedKey {
  readonly caller: Caller;
  /** The time at which the key expires, in milliseconds of performance.now(), which is monotonic. */
  readonly expiresAt: number;
  /** The time at which the key expires, for messages. */
  readonly expiryDate: Date | null;
}

/** The store's scopes, and the limits on lookups. */
interface AuthenticateOptions {
  /** The names of all the store's scopes. */
  readonly scopes: ReadonlySet<string>;
  /** Limits how often an address may send an invalid key. By default, there is no limit. */
  readonly failedAuth?: RateLimit | undefined;
  /** Remembers valid keys, and is updated at each lookup. Defaults to a new cache. */
  readonly validKeys?: ValidKeys;
  /** Rejects a lookup that takes too long. By default, only the pool's timeouts apply. */
  readonly withDeadline?: <T>(lookup: Promise<T>) => Promise<T>;
}

/** Creates a function that authenticates requests by the keys in a database. It caches valid keys, but not invalid ones. */
export function createAuthenticate(
  database: KeyLookups,
  {
    scopes,
    failedAuth,
    validKeys = createValidKeys(),
    withDeadline = (lookup) => lookup,
  }: AuthenticateOptions,
): Authenticate {
  const { $keyPrefix } = database;
  const lookUpLater = createDeferredLookups(async (keys) => {
    for (const [key, id] of await findValidKeys(database, keys)) {
      validKeys.set(key, clientOfKey(id));
    }
  }, MAX_DEFERRED_KEYS);
  const beginAttempt =
    failedAuth &&
    createFailedAttempts(failedAuth, validKeys, (key) => {
      if (isApiKey(key, $keyPrefix)) {
        lookUpLater(key);
      }
    });
  // The cache is indexed by the key itself: hashing each request's key would take longer than the rest of authentication, and a
  // key is in memory during its request even without the cache.
  const cache = new LRUCache<string, CachedKey>({
    max: MAX_CACHED_KEYS,
    ttl: CACHE_TTL_MS,
    // A key that is evicted from the cache during its lookup is still valid.
    ignoreFetchAbort: true,
    // Concurrent requests with the same key share the lookup.
    fetchMethod: async (key) => {
      const began = performance.now();
      const found = await findKey(database, key);
      if (found === undefined) {
        return undefined;
      }
      const { id, expiresIn, expiresAt, restrictions } = found;
      return {
        caller: callerOfKey(id, { ...restrictions, scopes: scopesWithin(restrictions, scopes) }),
        expiresAt: began + (expiresIn ?? Infinity),
        expiryDate: expiresAt,
      };
    },
  });

  async function lookUp(key: string, address: string): Promise<Caller> {
    using attempt = await beginAttempt?.(key, address).catch((rejection: unknown) => {
      recordOutcome('rate_limited');
      throw rejection;
    });
    const found = isApiKey(key, $keyPrefix) ? await cache.fetch(key) : undefined;
    const outcome = outcomeOf(key, found, $keyPrefix);
    recordOutcome(outcome);
    if (found === undefined || outcome !== 'ok') {
      validKeys.delete(key);
      attempt?.failed();
      throw codedError(
        'UNAUTHENTICATED',
        found?.expiryDate ? expiredMessage(found.expiryDate) : REFUSALS.invalidKey,
      );
    }
    validKeys.set(key, found.caller.client);
    return found.caller;
  }

  return async function authenticate(authorization, address) {
    const key = bearerToken(authorization);
    if (key === undefined) {
      recordOutcome('no_key');
      throw codedError('UNAUTHENTICATED', REFUSALS.noKey);
    }
    const cached = cache.get(key);
    if (cached !== undefined && !hasExpired(cached)) {
      recordOutcome('ok');
      return cached.caller;
    }
    // The address is read before the lookup, because a closed socket has no address.
    return withDeadline(lookUp(key, address()));
  };
}

/** Records the outcome of the current request's authentication, for metrics. */
export function recordOutcome(outcome: AuthenticationOutcome): void {
  const current = loggedRequest();
  if (current !== undefined) {
    current.authentication = outcome;
  }
}

function outcomeOf(
  key: string,
  found: CachedKey | undefined,
  prefix: string,
): AuthenticationOutcome {
  if (found === undefined) {
    return isApiKey(key, prefix) ? 'unknown' : 'malformed';
  }
  return hasExpired(found) ? 'expired' : 'ok';
}

function hasExpired({ expiresAt }: CachedKey): boolean {
  return expiresAt <= performance.now();
}
