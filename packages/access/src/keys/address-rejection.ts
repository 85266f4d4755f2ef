import { LRUCache } from 'lru-cache';
import { log } from '@store-gateway/ops';
import { type RemainingQuota, type RateLimit, tooManyRequests } from '@store-gateway/http/limits';

/** Addresses that are not logged again within the limit's window. */
const MAX_LOGGED_ADDRESSES = 1000;

/** Makes the TOO_MANY_REQUESTS of an address that has failed too often, which is logged. */
export function createAddressRejection(
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
