/**
 * Counts what clients have open, and gives each client at most as much as is free: one that takes all it can gets half, k of them get `maximum / (k + 1)`
 * each, and as much is left for the next (dynamic thresholds, https://doi.org/10.1109/90.664262).
 *
 * @param maximum of all clients together
 */
export function createOpenShares(maximum: number) {
  const byClient = new Map<string, number>();
  let total = 0;
  return {
    /** Whether a client may have one more. */
    hasRoom: (client: string): boolean => (byClient.get(client) ?? 0) < maximum - total,
    /** Counts one more of a client. Call it only after `hasRoom`, which it does not ask. */
    opened: (client: string): void => {
      total += 1;
      byClient.set(client, (byClient.get(client) ?? 0) + 1);
    },
    /** Counts one less of a client. */
    closed: (client: string): void => {
      total -= 1;
      const open = (byClient.get(client) ?? 0) - 1;
      if (open > 0) {
        byClient.set(client, open);
      } else {
        byClient.delete(client);
      }
    },
  };
}
