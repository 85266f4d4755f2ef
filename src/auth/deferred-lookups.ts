import type { Database } from '../database/client.ts';
import { onNobodysBehalf } from '@gateway/log/log';
import { hashApiKey, isApiKey } from './api-key.ts';
import type { ValidKeys } from './valid-keys.ts';

/** A little less than the shortest Retry-After, so that whoever heeds it is known by then. */
const INTERVAL_MS = 900;

/** Keys that are looked up together; more that come in an interval may come again. */
const MAX_KEYS = 1000;

/**
 * Looks up keys that have been refused for the sake of their address: all of an interval in one statement, so that the
 * database has little to do for them. Nobody is told of the outcome, but a key that is valid is let in when it comes again.
 */
export function createLateLookUps(
  apiKey: Pick<Database['apiKey'], 'findByHashes'>,
  validKeys: Pick<ValidKeys, 'set'>,
): (key: string) => void {
  const keys = new Set<string>();

  async function lookUp(): Promise<void> {
    const asked = [...keys];
    keys.clear();
    for (const { index, id } of await apiKey.findByHashes(asked.map(hashApiKey))) {
      const key = asked[index];
      if (key !== undefined) {
        validKeys.set(key, String(id));
      }
    }
  }

  return (key) => {
    if (keys.size === MAX_KEYS || !isApiKey(key)) {
      return;
    }
    if (keys.size === 0) {
      onNobodysBehalf(() => {
        // Should the database be away, they come again.
        setTimeout(() => void lookUp().catch(() => undefined), INTERVAL_MS).unref();
      });
    }
    keys.add(key);
  };
}
