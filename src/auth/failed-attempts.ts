import { LRUCache } from 'lru-cache';
import { log } from '@gateway/log/log';
import type { RateLimit } from '@gateway/rate-limits/rate-limit';
import { tooManyRequests } from '@gateway/rate-limits/refusal';
import type { Standing } from '@gateway/rate-limits/usage';
import { createLookUps } from './pending-lookups.ts';
import type { ValidKeys } from './valid-keys.ts';

/** Keeps those away who try keys, without asking the database for each. */
export interface FailedAttempts {
  /**
   * To be called before a key is looked up. Of those under way each may fail: where an address has room for no
   * more, whoever comes next waits until one is settled, since it may turn out to be a good key.
   *
   * @throws TOO_MANY_REQUESTS if an address has failed too often; not for a key that was good before
   */
  readonly begin: (key: string, address: string) => Promise<Attempt>;
}

/** A look-up under way. Unless it has failed, be it that the database is away, it counts for nothing. */
export interface Attempt extends Disposable {
  readonly failed: () => void;
}

/** Addresses that the log has told of, which it does once in a while of each. */
const TOLD_ADDRESSES = 1000;

/**
 * @param validKeys those that were good before, so that an honest client is not shut out by another behind the same
 *   address; whether they still are is for the database to say
 * @param lookUpLater is given each key that is refused for the sake of its address: it may be good, and become one of them
 */
export function createFailedAttempts(
  limit: RateLimit,
  validKeys: Pick<ValidKeys, 'has'>,
  lookUpLater: (key: string) => void,
): FailedAttempts {
  const lookUps = createLookUps();
  const told = new LRUCache<string, true>({
    max: TOLD_ADDRESSES,
    ttl: limit.policy.windowSeconds * 1000,
  });

  function refusal(address: string, standing: Standing): Error {
    if (!told.has(address)) {
      told.set(address, true);
      log.warn({ address }, 'too many requests with invalid keys from an address');
    }
    return tooManyRequests('address', limit, standing);
  }

  function attempt(address: string, settle: () => void): Attempt {
    return {
      failed: () => {
        limit.take(address);
      },
      [Symbol.dispose]: settle,
    };
  }

  return {
    begin: async (key, address) => {
      while (!validKeys.has(key)) {
        const standing = limit.look(address);
        if (!standing.allowed) {
          lookUpLater(key);
          throw refusal(address, standing);
        }
        if (standing.remaining > lookUps.underWay(address)) {
          return attempt(address, lookUps.begin(address));
        }
        await lookUps.nextSettled(address);
      }
      return attempt(address, () => undefined);
    },
  };
}
