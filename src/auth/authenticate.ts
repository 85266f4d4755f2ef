import { LRUCache } from 'lru-cache';
import type { Database } from '../database/client.ts';
import { codedError } from '@gateway/errors/coded-error';
import { requestUnderWay, type AuthenticationOutcome } from '@gateway/log/log';
import type { RateLimit } from '@gateway/rate-limits/rate-limit';
import { hashApiKey, isApiKey } from './api-key.ts';
import { bearerToken } from '@gateway/http-server/http/bearer';
import type { Caller } from './caller.ts';
import { createFailedAttempts } from './failed-attempts.ts';
import { createLateLookUps } from './deferred-lookups.ts';
import type { ValidKeys } from './valid-keys.ts';

/**
 * Tells who sends an Authorization header; throws UNAUTHENTICATED for whoever has no valid key, and
 * TOO_MANY_REQUESTS for whoever has tried too many.
 *
 * @param address tells where the request comes from; it is asked only if the key isn't known
 */
export type Authenticate = (
  authorization: string | undefined,
  address: () => string,
) => Promise<Caller>;

/**
 * A key is asked for again this long after it was last read. With the time that reading it may take,
 * under 2 s (packages/postgres/src/pool.ts), a revoked key stops working everywhere within 5 s.
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
  /** By performance.now(), which nobody sets. */
  readonly expiresAt: number;
}

export interface AuthenticateOptions {
  /** How often an address may come with a key that is not valid. */
  readonly failedAuth: RateLimit | undefined;
  /** Told of keys that were looked up. */
  readonly validKeys: ValidKeys;
  /** Rejects what takes too long. */
  readonly withDeadline: <T>(lookUp: Promise<T>) => Promise<T>;
}

/**
 * Knows the keys of one database. Good keys are remembered, refused ones are not.
 */
export function createAuthenticate(
  database: Database,
  { failedAuth, validKeys, withDeadline }: AuthenticateOptions,
): Authenticate {
  const attempts =
    failedAuth &&
    createFailedAttempts(failedAuth, validKeys, createLateLookUps(database.apiKey, validKeys));
  // As they are sent: they are in memory while a request is under way, and to hash the key of each request
  // would take longer than all else that is done to tell who sends it.
  const knownKeys = new LRUCache<string, KnownKey>({
    max: REMEMBERED_KEYS,
    ttl: REMEMBERED_MILLISECONDS,
    // A key that has to make room while it is being read is still a good one.
    ignoreFetchAbort: true,
    // Requests with the same key that come while it is read share the one query.
    fetchMethod: async (key) => {
      const began = performance.now();
      const valid = await database.apiKey.findByHash(hashApiKey(key));
      return (
        valid && {
          caller: { keyId: valid.id },
          expiresAt: began + (valid.expiresIn ?? Infinity),
        }
      );
    },
  });

  async function lookUp(key: string, address: string): Promise<Caller> {
    using attempt = await attempts?.begin(key, address).catch((refusal: unknown) => {
      noteOutcome('rate_limited');
      throw refusal;
    });
    const known = isApiKey(key) ? await knownKeys.fetch(key) : undefined;
    const outcome = outcomeOf(key, known);
    noteOutcome(outcome);
    if (known === undefined || outcome !== 'ok') {
      validKeys.delete(key);
      attempt?.failed();
      throw codedError('UNAUTHENTICATED', REFUSALS.invalidKey);
    }
    validKeys.set(key, String(known.caller.keyId));
    return known.caller;
  }

  return async function authenticate(authorization, address) {
    const key = bearerToken(authorization);
    if (key === undefined) {
      noteOutcome('no_key');
      throw codedError('UNAUTHENTICATED', REFUSALS.noKey);
    }
    const remembered = knownKeys.get(key);
    if (remembered !== undefined && !hasExpired(remembered)) {
      noteOutcome('ok');
      return remembered.caller;
    }
    // Before the database is asked: a socket that is closed meanwhile has none.
    return withDeadline(lookUp(key, address()));
  };
}

function outcomeOf(key: string, known: KnownKey | undefined): AuthenticationOutcome {
  if (known === undefined) {
    return isApiKey(key) ? 'unknown' : 'malformed';
  }
  return hasExpired(known) ? 'expired' : 'ok';
}

function hasExpired({ expiresAt }: KnownKey): boolean {
  return expiresAt <= performance.now();
}

/** For those who count; callers aren't told. */
function noteOutcome(outcome: AuthenticationOutcome): void {
  const underWay = requestUnderWay.getStore();
  if (underWay !== undefined) {
    underWay.authentication = outcome;
  }
}
