/** Bounds how many verifications run at a time; the others begin in the order in which they came. */
export function createVerifications(maximum: number) {
  let running = 0;
  const waiting: (() => void)[] = [];

  return {
    /** A verification that is over when it is disposed of. */
    turn: (): Disposable & { readonly begin: () => Promise<void> } => {
      let hasBegun = false;
      return {
        begin: async () => {
          if (running === maximum) {
            await new Promise<void>((resolve) => {
              waiting.push(resolve);
            });
          } else {
            running += 1;
          }
          hasBegun = true;
        },
        [Symbol.dispose]: () => {
          const next = hasBegun ? waiting.shift() : undefined;
          if (next !== undefined) {
            next();
          } else if (hasBegun) {
            running -= 1;
          }
        },
      };
    },
  };
}
