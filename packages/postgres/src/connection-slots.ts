export type ConnectionSlots = ReturnType<typeof createSlots>;

/** Bounds the backends of a pool: each occupies a slot until the server has ended it. */
export function createSlots(max: number) {
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
    /**
     * Calls back once it has taken a slot: at once if one is free.
     *
     * @returns stops waiting
     */
    take: (taken: () => void) => {
      waiting.add(taken);
      assign();
      return () => waiting.delete(taken);
    },
    free: (): void => {
      unused += 1;
      assign();
    },
  };
}
