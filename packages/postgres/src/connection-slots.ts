/** Bounds the backends of a pool: each occupies a slot until the server has ended it. */
export interface ConnectionSlots {
  /**
   * Calls back once it has taken a slot: at once if one is free.
   *
   * @returns stops waiting
   */
  readonly take: (taken: () => void) => () => void;
  readonly free: () => void;
}

export function createSlots(max: number): ConnectionSlots {
  let unused = max;
  const waiting = new Set<() => void>();
  const assign = (): void => {
    for (const taken of waiting) {
      if (unused === 0) return;
      unused -= 1;
      waiting.delete(taken);
      taken();
    }
  };
  return {
    take: (taken) => {
      waiting.add(taken);
      assign();
      return () => waiting.delete(taken);
    },
    free: () => {
      unused += 1;
      assign();
    },
  };
}
