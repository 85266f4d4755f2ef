import { LRUCache } from 'lru-cache';
import { log, outsideRequest } from '@store-gateway/ops';
import { type RemainingQuota, type RateLimit, tooManyRequests } from '@store-gateway/http/limits';

/** Addresses that are not logged again within the limit's window. */
const MAX_LOGGED_ADDRESSES = 1000;

/** Makes the TOO_MANY_REQUESTS of an address that has failed too often, which is logged. */
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
      log.warn({ address }, 'too many requests with invalid keys from an address');
    }
    return tooManyRequests('address', limit, quota);
  };
}

/** A lookup in flight. It counts only if it has failed, not if the database was away. */
interface Attempt extends Disposable {
  /** Lets a failure count for one more. @returns TOO_MANY_REQUESTS instead if the address has no quota for that */
  readonly extend: () => Error | undefined;
  /** Counts it as failed. */
  readonly failed: () => void;
}

/** The lookups of an address in flight. */
interface Pending {
  count: number;
  /** Waiters continue in the order in which they came. */
  nextSettled: PromiseWithResolvers<void>;
}

/**
 * Limits how often an address may try invalid keys, without asking the database about those over the limit. Each lookup in
 * flight may fail: where an address has no quota for one more, the next waits until one has settled.
 *
 * @param validKeys exempt, so that no client is shut out by another behind the same address; the
 *   lookup decides whether they still are valid
 * @param lookUpLater gets each key that is rejected or not extended for its address: it may be valid
 * @returns to be called before a key is looked up; throws TOO_MANY_REQUESTS if its address has failed too often
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

/** A little less than the shortest Retry-After, so that a client that heeds it is known by then. */
const DEFERRED_INTERVAL_MS = 900;

/**
 * Looks up keys or tokens that were rejected for their address, those of an interval together. A valid one is let in when
 * it comes again.
 *
 * @param lookUp remembers the valid ones
 * @param maximum of an interval; the others may come again
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
        // If the database is away, the keys may come again.
        setTimeout(() => void lookUpAll().catch(() => undefined), DEFERRED_INTERVAL_MS).unref();
      });
    }
    deferred.add(key);
  };
}
