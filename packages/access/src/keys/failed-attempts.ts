import { LRUCache } from 'lru-cache';
import { log, outsideRequest } from '@store-gateway/ops';
import { type RemainingQuota, type RateLimit, tooManyRequests } from '@store-gateway/http/limits';

/** Maximum number of logged addresses to remember. Each address is logged only once per window of the limit. */
const MAX_LOGGED_ADDRESSES = 1000;

/** Creates the TOO_MANY_REQUESTS error for an address that has failed too often, and logs the address. */
function createAddressRejection(
  limit: RateLimit,
): (address: string, quota: RemainingQuota) => Error {
  const logged = new LRUCache<string, true>({
    max: MAX_LOGGED_ADDRESSES,
    ttl: limit.policy.windowSeconds * 1000,
  });
  return (address, quota) => {
    if (!logged.has(address)) {
      logged.set(address, true);
      log.warn({ address }, 'too many requests with invalid keys from one address');
    }
    return tooManyRequests('address', limit, quota);
  };
}

/** A lookup in flight. It counts towards the limit only if the key is invalid, not if the database is unavailable. */
interface Attempt extends Disposable {
  /**
   * Makes the attempt count once more if it fails.
   *
   * @returns a TOO_MANY_REQUESTS error if the address has no quota left
   */
  readonly extend: () => Error | undefined;
  /** Counts the attempt as failed. */
  readonly failed: () => void;
}

/** An address's lookups in flight. */
interface Pending {
  count: number;
  /** Resolved when a lookup has settled. Waiters continue in the order of their arrival. */
  nextSettled: PromiseWithResolvers<void>;
}

/**
 * Limits how often an address may try invalid keys. Over the limit, its keys aren't looked up. Because each lookup in flight may
 * fail, an address without quota for another lookup waits until one of them has settled.
 *
 * @param validKeys keys that are exempt, so that no client can lock out a different client with the same address; the lookup
 *   decides whether they are still valid
 * @param lookUpLater called with each key that was rejected without a lookup, because the key may be valid
 * @returns a function to call before a key is looked up; it throws TOO_MANY_REQUESTS if the address has failed too often
 * @internal
 */
export function createFailedAttempts(
  limit: RateLimit,
  validKeys: { readonly has: (key: string) => boolean },
  lookUpLater: (key: string) => void,
): (key: string, address: string) => Promise<Attempt> {
  const byAddress = new Map<string, Pending>();
  const rejection = createAddressRejection(limit);

  function attempt(key: string, address: string, pending?: Pending): Attempt {
    let tries = 1;
    return {
      extend: () => {
        if (pending !== undefined) {
          const quota = limit.peek(address);
          if (quota.remaining <= pending.count) {
            lookUpLater(key);
            return rejection(address, quota);
          }
          pending.count += 1;
        }
        tries += 1;
        return undefined;
      },
      failed: () => {
        for (let count = 0; count < tries; count += 1) {
          limit.take(address);
        }
      },
      [Symbol.dispose]: () => {
        if (pending === undefined) {
          return;
        }
        pending.count -= tries;
        if (pending.count === 0) {
          byAddress.delete(address);
        }
        pending.nextSettled.resolve();
        pending.nextSettled = Promise.withResolvers();
      },
    };
  }

  return async (key, address) => {
    while (!validKeys.has(key)) {
      const quota = limit.peek(address);
      if (!quota.allowed) {
        lookUpLater(key);
        throw rejection(address, quota);
      }
      const pending = byAddress.get(address) ?? {
        count: 0,
        nextSettled: Promise.withResolvers(),
      };
      if (quota.remaining > pending.count) {
        byAddress.set(address, pending);
        pending.count += 1;
        return attempt(key, address, pending);
      }
      await pending.nextSettled.promise;
    }
    return attempt(key, address);
  };
}

/**
 * The interval between batches. It is shorter than the shortest Retry-After, so that a valid key is known when the client
 * retries.
 */
const DEFERRED_INTERVAL_MS = 900;

/**
 * Looks up keys or tokens that were rejected because of their address, in one batch per interval. A valid one is accepted when
 * the client retries.
 *
 * @param lookUp looks up a batch, and remembers the valid keys or tokens
 * @param maximum the maximum number of keys or tokens per interval; further ones are dropped, and clients may retry
 */
export function createDeferredLookups(
  lookUp: (keys: readonly string[]) => Promise<void>,
  maximum: number,
): (key: string) => void {
  const deferred = new Set<string>();

  async function lookUpAll(): Promise<void> {
    const keys = [...deferred];
    deferred.clear();
    await lookUp(keys);
  }

  return (key) => {
    if (deferred.size === maximum) {
      return;
    }
    if (deferred.size === 0) {
      outsideRequest(() => {
        // If the database is unavailable, the keys are dropped, and clients may retry.
        setTimeout(() => void lookUpAll().catch(() => undefined), DEFERRED_INTERVAL_MS).unref();
      });
    }
    deferred.add(key);
  };
}
