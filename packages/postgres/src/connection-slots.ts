/** What bounds the backends of a pool: each takes up a slot until the server has ended it. */
export interface ConnectionSlots {
  /**
   * Takes a slot as soon as there is one, and calls back then; at once if there is one now.
   *
   * @returns what stops waiting
   */
  readonly take: (taken: () => void) => () => void;
  readonly free: () => void;
}

export function createSlots(max: number): ConnectionSlots {
  let unused = max;
  const waiting = new Set<() => void>();

  return {
    take: (taken) => {
      if (unused > 0) {
        unused -= 1;
        taken();
      } else {
        waiting.add(taken);
      }
      return () => waiting.delete(taken);
    },
    free: () => {
      const [next] = waiting;
      if (next === undefined) {
        unused += 1;
      } else {
        waiting.delete(next);
        next();
      }
    },
  };
}
