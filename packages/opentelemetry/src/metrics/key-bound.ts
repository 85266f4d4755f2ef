/** Keys that have a label of their own; all others share `other`. */
const MAX_KEYS = 200;

const SHARED = new Set(['none', 'other']);

/** Bounds the series by key: gives each of the first keys its own id, and all others `other`. */
export function createKeyBound(): (keyId: string) => string {
  const known = new Set<string>();
  return (keyId) => {
    if (SHARED.has(keyId) || known.has(keyId)) {
      return keyId;
    }
    if (known.size >= MAX_KEYS) {
      return 'other';
    }
    known.add(keyId);
    return keyId;
  };
}
