interface LookUps {
  underWay: number;
  nextSettled: PromiseWithResolvers<void>;
}

/** Counts the look-ups under way of each address. */
export function createLookUps() {
  const byAddress = new Map<string, LookUps>();
  return {
    underWay: (address: string): number => byAddress.get(address)?.underWay ?? 0,
    /** Resolves when a look-up of the address is settled; those who wait go on in the order in which they came. */
    nextSettled: async (address: string): Promise<void> => {
      await byAddress.get(address)?.nextSettled.promise;
    },
    /** Counts one more, until what it returns is called. */
    begin: (address: string): (() => void) => {
      const lookUps = byAddress.get(address) ?? {
        underWay: 0,
        nextSettled: Promise.withResolvers(),
      };
      byAddress.set(address, lookUps);
      lookUps.underWay += 1;
      return () => {
        lookUps.underWay -= 1;
        if (lookUps.underWay === 0) {
          byAddress.delete(address);
        }
        lookUps.nextSettled.resolve();
        lookUps.nextSettled = Promise.withResolvers();
      };
    },
  };
}
