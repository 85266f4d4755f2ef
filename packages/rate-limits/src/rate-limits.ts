import type { Database } from '../../../src/database/client.ts';
import type { RateLimitPolicy } from './policy.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';

/** The limits that are in force. */
export interface RateLimits {
  /** On requests with a valid key, by its id. */
  readonly keys: RateLimit | undefined;
  /** On keys that are not valid, by the client's address. */
  readonly failedAuth: RateLimit | undefined;
  /** Tells the other processes what is counted. To be called before the process ends. */
  readonly flush: () => Promise<void>;
  /** Removes what the processes have counted and has leaked away since. */
  readonly removeOld: () => Promise<void>;
}

/**
 * The limits of all processes on one database.
 *
 * @param now milliseconds of a clock that is never set
 */
export function createRateLimits(
  database: Database,
  policies: {
    readonly rateLimit: RateLimitPolicy | undefined;
    readonly failedAuthLimit: RateLimitPolicy | undefined;
  },
  now: () => number,
): RateLimits {
  const limit = (name: string, policy: RateLimitPolicy | undefined) =>
    policy &&
    createRateLimit(
      { ...policy, name },
      database.rateLimitCount.sharedCounts({ ...policy, name }),
      now,
    );
  const keys = limit('key', policies.rateLimit);
  const failedAuth = limit('failed-auth', policies.failedAuthLimit);
  return {
    keys,
    failedAuth,
    flush: async () => {
      await Promise.all([keys?.flush(), failedAuth?.flush()]);
    },
    removeOld: async () => {
      for (const { policy } of [keys, failedAuth].filter((each) => each !== undefined)) {
        await database.rateLimitCount.removeOld(policy);
      }
    },
  };
}
