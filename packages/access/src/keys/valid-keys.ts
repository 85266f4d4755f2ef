import { LRUCache } from 'lru-cache';

const MAX_VALID_KEYS = 10_000;

/** Of all that are kept: a store's own tokens may be long. */
const MAX_CHARACTERS = 10_000_000;

/**
 * The fair queue's clients of keys that were valid at their last lookup, by the key as it is sent. They still have to be
 * authenticated.
 */
export type ValidKeys = Pick<LRUCache<string, string>, 'has' | 'get' | 'set' | 'delete'>;

/** An empty cache, bounded to 10,000 keys and 10,000,000 characters; the least recently used go first. */
export function createValidKeys(): ValidKeys {
  return new LRUCache<string, string>({
    max: MAX_VALID_KEYS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_client, key) => key.length,
  });
}
