import { clientOfKey } from '@store-gateway/fair-scheduling/client-of-key';
import { outsideRequest } from '@store-gateway/log/request-context';
import { isApiKey } from './api-key.ts';
import { findValidKeys, type KeyLookups } from './key-lookups.ts';
import type { ValidKeys } from './valid-keys.ts';

/** A little less than the shortest Retry-After, so that a client that heeds it is known by then. */
const INTERVAL_MS = 900;
const MAX_BATCH_SIZE = 1000;

/**
 * Looks up keys that were rejected for their address, those of an interval in one statement. A valid one is let in when
 * it comes again.
 */
export function createDeferredLookups(
  database: KeyLookups,
  validKeys: Pick<ValidKeys, 'set'>,
): (key: string) => void {
  const deferred = new Set<string>();

  async function lookUp(): Promise<void> {
    const keys = [...deferred];
    deferred.clear();
    for (const [key, id] of await findValidKeys(database, keys)) {
      validKeys.set(key, clientOfKey(id));
    }
  }

  return (key) => {
    if (deferred.size === MAX_BATCH_SIZE || !isApiKey(key, database.$keyPrefix)) {
      return;
    }
    if (deferred.size === 0) {
      outsideRequest(() => {
        // If the database is away, the keys may come again.
        setTimeout(() => void lookUp().catch(() => undefined), INTERVAL_MS).unref();
      });
    }
    deferred.add(key);
  };
}
