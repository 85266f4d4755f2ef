import type { RateLimitPolicy } from './policy.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import type { SharedCounts } from './shared-counts.ts';

/** The limits in force; undefined are those that are off. */
export interface RateLimits {
  /** On requests with a valid key, by its id. */
  readonly keys: RateLimit | undefined;
  /** On requests with an invalid key, by the client's address. */
  readonly failedAuth: RateLimit | undefined;
  /** Shares what is counted with the other processes. Must be called before the process ends. */
  readonly flush: () => Promise<void>;
  /** Removes shared counts that have leaked away. */
  readonly removeOld: () => Promise<void>;
}

/**
 * The limits of all processes on one database.
 *
 * @param now milliseconds of a monotonic clock
 */
export function createRateLimits(
  counts: SharedCounts,
  policies: {
    readonly rateLimit: RateLimitPolicy | undefined;
    readonly failedAuthLimit: RateLimitPolicy | undefined;
  },
  now: () => number,
): RateLimits {
  const limit = (name: string, policy: RateLimitPolicy | undefined) =>
    policy && createRateLimit({ ...policy, name }, counts, now);
  const keys = limit('key', policies.rateLimit);
  const failedAuth = limit('failed-auth', policies.failedAuthLimit);
  const limits = [keys, failedAuth].filter((each) => each !== undefined);
  return {
    keys,
    failedAuth,
    flush: async () => {
      await Promise.all(limits.map(({ flush }) => flush()));
    },
    removeOld: async () => {
      for (const { policy } of limits) {
        await counts.removeOld(policy);
      }
    },
  };
}
