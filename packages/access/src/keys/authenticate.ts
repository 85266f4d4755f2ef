import { LRUCache } from 'lru-cache';
import { codedError } from '@store-gateway/ops/errors';
import { clientOfKey, type RateLimit } from '@store-gateway/http/limits';
import { loggedRequest, type AuthenticationOutcome } from '@store-gateway/ops';
import { findKey, findValidKeys, isApiKey, type KeyLookups } from './api-keys.ts';
import { callerOfKey, type Caller, scopesWithin } from './caller.ts';
import { createDeferredLookups, createFailedAttempts } from './failed-attempts.ts';

// RFC 6750, 2.1, with the scheme in any case (RFC 9110, 11.1). Node has trimmed the value; to do it in the expression would
// take time quadratic in its length.
const BEARER = /^bearer +([^ ].*)$/i;

/** The token of an `Authorization: Bearer` header, or undefined if it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

/** The messages of UNAUTHENTICATED. */
export const REFUSALS = {
  noKey: 'An API key is required: Authorization: Bearer <API_KEY>',
  invalidKey: 'The API key is not valid',
} as const;

/** Only the owner of the key sees this: the key was looked up by its hash. */
export function expiredMessage(at: Date): string {
  const [date = '', time = ''] = at.toISOString().split('T');
  return `The API key expired on ${date} at ${time.slice(0, 5)} UTC`;
}

const MAX_VALID_KEYS = 10_000;

/** Of all valid keys that are kept: a store's own tokens may be long. */
const MAX_VALID_KEY_CHARACTERS = 10_000_000;

/**
 * The fair queue's clients of keys that were valid at their last lookup, by the key as it is sent. They still have to be
 * authenticated.
 */
export type ValidKeys = Pick<LRUCache<string, string>, 'has' | 'get' | 'set' | 'delete'>;

/** An empty cache, bounded to 10,000 keys and 10,000,000 characters; the least recently used go first. */
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
 * @param address of the client; called only if the key isn't cached
 * @throws UNAUTHENTICATED without a valid key, TOO_MANY_REQUESTS after too many invalid ones
 */
type Authenticate = (authorization: string | undefined, address: () => string) => Promise<Caller>;

/**
 * With the time that reading a key may take, under 2 s (packages/postgres/src/pool.ts), a revoked key stops working
 * everywhere within 5 s.
 */
const CACHE_TTL_MS = 3000;
const MAX_CACHED_KEYS = 10_000;
/** Of one statement. */
const MAX_DEFERRED_KEYS = 1000;

interface CachedKey {
  readonly caller: Caller;
  /** By performance.now(), which is monotonic. */
  readonly expiresAt: number;
  /** The same by the clock on the wall, for people. */
  readonly expiryDate: Date | null;
}

/** What keys may give, and how lookups are bounded. */
interface AuthenticateOptions {
  /** The names of all scopes that there are. */
  readonly scopes: ReadonlySet<string>;
  /** How often an address may send an invalid key; by default as often as it likes. */
  readonly failedAuth?: RateLimit | undefined;
  /** Updated at each lookup; by default its own. */
  readonly validKeys?: ValidKeys;
  /** Rejects a lookup that takes too long; by default, that is the pool's to do. */
  readonly withDeadline?: <T>(lookup: Promise<T>) => Promise<T>;
}

/** Authenticates by the keys of one database. Valid keys are cached, invalid ones are not. */
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
  // By the key itself: hashing that of each request would take longer than the rest of authentication, and a key is in
  // memory during its request anyway.
  const cache = new LRUCache<string, CachedKey>({
    max: MAX_CACHED_KEYS,
    ttl: CACHE_TTL_MS,
    // A key that is evicted during its lookup is still valid.
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
    // Before the lookup: a socket that is closed meanwhile has no address.
    return withDeadline(lookUp(key, address()));
  };
}

/** Notes for metrics how the authentication of the current request ended. */
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
