import { LRUCache } from 'lru-cache';

const MAX_VALID_KEYS = 10_000;

/** The ids of keys, by the Authorization header that has them. */
export type ValidKeys = Pick<LRUCache<string, string>, 'get' | 'set' | 'delete'>;

/**
 * Remembers keys that were valid when they were last looked up, until they are refused: long enough to tell at once
 * whose a request is. Whether it is let in is for src/auth/authenticate.ts to say.
 */
export function createValidKeys(): ValidKeys {
  return new LRUCache<string, string>({ max: MAX_VALID_KEYS });
}
