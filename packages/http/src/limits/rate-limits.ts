import { isPolicy, type RateLimitPolicy } from './policy.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import type { SharedCounts } from './shared-counts.ts';

const KEY = 'key';
const FAILED_AUTH = 'failed-auth';

/** The limits in force; undefined are those that are off. */
export interface RateLimits extends ReturnType<typeof createRateLimits> {}

/**
 * The limits of all processes on one database.
 *
 * @param now milliseconds of a monotonic clock
 * @returns makes limits of keys' own, too; throws a RangeError for a policy that can't be written
 */
export function createRateLimits(
  counts: SharedCounts,
  policies: {
    readonly rateLimit: RateLimitPolicy | undefined;
    readonly failedAuthLimit: RateLimitPolicy | undefined;
    /** The longest window of a key's policy, in seconds; by default that of `rateLimit`. */
    readonly longestWindow?: number | undefined;
  },
  now: () => number,
) {
  const limit = (name: string, policy: RateLimitPolicy) =>
    createRateLimit({ ...policy, name }, counts, now);
  const { rateLimit, failedAuthLimit, longestWindow } = policies;
  const failedAuth = failedAuthLimit && limit(FAILED_AUTH, failedAuthLimit);
  const ofKeys = new Map<string, RateLimit>();
  const keysWith = (policy: RateLimitPolicy): RateLimit => {
    const name = `${policy.quota}/${policy.windowSeconds}`;
    const known = ofKeys.get(name);
    if (known !== undefined) {
      return known;
    }
    if (!isPolicy(policy)) {
      throw new RangeError(`no limit of keys can be ${name}s`);
    }
    const made = limit(KEY, policy);
    ofKeys.set(name, made);
    return made;
  };
  const keys = rateLimit && keysWith(rateLimit);
  const windowOfKeys = longestWindow ?? rateLimit?.windowSeconds;
  return {
    /** On requests with a valid key, by its id. */
    keys,
    /** On requests of keys with another policy than that. */
    keysWith,
    /** On requests with an invalid key, by the client's address. */
    failedAuth,
    /** Shares what is counted with the other processes. Must be called before the process ends. */
    flush: async (): Promise<void> => {
      const all = [...ofKeys.values(), failedAuth].filter((each) => each !== undefined);
      await Promise.all(all.map((each) => each.flush()));
    },
    /** Removes shared counts that have leaked away. */
    removeOld: async (): Promise<void> => {
      if (windowOfKeys !== undefined) {
        await counts.removeOld({ name: KEY, windowSeconds: windowOfKeys });
      }
      if (failedAuthLimit !== undefined) {
        await counts.removeOld({ name: FAILED_AUTH, ...failedAuthLimit });
      }
    },
  };
}
