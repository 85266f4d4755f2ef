/** Entries above which idle ones are evicted. */
const MAX_IDLE = 1000;

/** A map that creates a name's value when it is first asked for, and evicts idle values once there are many. */
export function createIdleEvictingMap<Value>(
  create: (name: string) => Value,
  isIdle: (value: Value) => boolean,
): (name: string) => Value {
  const byName = new Map<string, Value>();
  let sweepAt = MAX_IDLE;
  return (name) => {
    let value = byName.get(name);
    if (value === undefined) {
      if (byName.size >= sweepAt) {
        for (const [other, each] of byName) {
          if (isIdle(each)) {
            byName.delete(other);
          }
        }
        sweepAt = Math.max(MAX_IDLE, 2 * byName.size);
      }
      value = create(name);
      byName.set(name, value);
    }
    return value;
  };
}
