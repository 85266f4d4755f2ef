import { LRUCache } from 'lru-cache';
import { log } from '../log.ts';
import type { RateLimit } from '../rate-limits/rate-limit.ts';
import { tooManyRequests } from '../rate-limits/refusal.ts';

/** Keeps those away who try keys, without asking the database for what they try. */
export interface FailedAttempts {
  /** TOO_MANY_REQUESTS, to be thrown, if an address has failed too often; not for a key that was good before. */
  readonly refusalOf: (key: string, address: string) => Error | undefined;
  readonly failed: (key: string, address: string) => void;
  readonly succeeded: (key: string) => void;
}

const REMEMBERED_KEYS = 10_000;
/** Addresses that the log has told of, which it does once in a while of each. */
const TOLD_ADDRESSES = 1000;

export function createFailedAttempts(limit: RateLimit): FailedAttempts {
  // So that an honest client is not shut out by another behind the same address. Whether they are still good
  // is for the database to say.
  const goodKeys = new LRUCache<string, true>({ max: REMEMBERED_KEYS });
  const told = new LRUCache<string, true>({
    max: TOLD_ADDRESSES,
    ttl: limit.policy.windowSeconds * 1000,
  });
  return {
    refusalOf: (key, address) => {
      const standing = goodKeys.has(key) ? undefined : limit.look(address);
      if (standing === undefined || standing.allowed) {
        return undefined;
      }
      if (!told.has(address)) {
        told.set(address, true);
        log.warn({ address }, 'too many requests with invalid keys from an address');
      }
      return tooManyRequests('address', limit, standing);
    },
    failed: (key, address) => {
      goodKeys.delete(key);
      limit.take(address);
    },
    succeeded: (key) => {
      goodKeys.set(key, true);
    },
  };
}
