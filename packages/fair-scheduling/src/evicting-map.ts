/** How many are remembered before idle ones are forgotten. */
const MAX_IDLE = 1000;

/** Makes what belongs to a name when it is first asked for, and remembers it; of very many, the idle ones are forgotten. */
export function createRemembered<T>(
  make: (name: string) => T,
  isIdle: (value: T) => boolean,
): (name: string) => T {
  const byName = new Map<string, T>();
  let sweepAt = MAX_IDLE;
  return (name) => {
    const known = byName.get(name);
    if (known !== undefined) {
      return known;
    }
    if (byName.size >= sweepAt) {
      for (const [other, value] of byName) {
        if (isIdle(value)) {
          byName.delete(other);
        }
      }
      sweepAt = Math.max(MAX_IDLE, 2 * byName.size);
    }
    const made = make(name);
    byName.set(name, made);
    return made;
  };
}
