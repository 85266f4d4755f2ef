interface Pending {
  count: number;
  nextSettled: PromiseWithResolvers<void>;
}

/** Counts the key lookups in flight for each address. */
export function createPendingLookups() {
  const byAddress = new Map<string, Pending>();
  return {
    count: (address: string): number => byAddress.get(address)?.count ?? 0,
    /** Resolves when a lookup of the address settles; waiters continue in the order in which they came. */
    nextSettled: async (address: string): Promise<void> => {
      await byAddress.get(address)?.nextSettled.promise;
    },
    /** @returns settles the lookup */
    begin: (address: string): (() => void) => {
      const pending = byAddress.get(address) ?? { count: 0, nextSettled: Promise.withResolvers() };
      byAddress.set(address, pending);
      pending.count += 1;
      return () => {
        pending.count -= 1;
        if (pending.count === 0) {
          byAddress.delete(address);
        }
        pending.nextSettled.resolve();
        pending.nextSettled = Promise.withResolvers();
      };
    },
  };
}
