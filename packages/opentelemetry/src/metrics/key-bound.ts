/** Keys that have a label of their own; all others share `other`. */
const MAX_KEYS = 200;

/** What no API key is called. */
const SHARED = new Set(['none', 'other']);

const API_KEY = /^\d+$/;

/**
 * Bounds the series by key: gives each of the first API keys its own id, and all others `other`. Callers without an API key
 * share `user`: metrics are kept for long, and are no place for the names of people.
 */
export function createKeyBound(): (keyId: string) => string {
  const known = new Set<string>();
  return (keyId) => {
    if (SHARED.has(keyId) || known.has(keyId)) {
      return keyId;
    }
    if (!API_KEY.test(keyId)) {
      return 'user';
    }
    if (known.size >= MAX_KEYS) {
      return 'other';
    }
    known.add(keyId);
    return keyId;
  };
}
