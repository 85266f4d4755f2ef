/** Keys that are told apart; all others are told as `other`. */
const MOST_KEYS = 200;

/** Gives the label of a key: its id, for the first 200 that a process hears from. */
export function createKeyLabels(): (keyId: string) => string {
  const told = new Set<string>();
  return (keyId) => {
    if (!told.has(keyId) && told.size >= MOST_KEYS) {
      return 'other';
    }
    told.add(keyId);
    return keyId;
  };
}
