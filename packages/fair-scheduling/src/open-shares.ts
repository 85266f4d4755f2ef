/** Counts what clients have open at a time, and tells whether one may have one more. */
export interface OpenShares {
  readonly hasRoom: (client: string) => boolean;
  readonly opened: (client: string) => void;
  readonly closed: (client: string) => void;
}

/**
 * Gives each client at most as much as is free: one that takes all it can get has half, k of them have
 * `maximum / (k + 1)` each, and as much is left for whoever comes next (dynamic thresholds,
 * https://doi.org/10.1109/90.664262).
 */
export function createOpenShares(maximum: number): OpenShares {
  const byClient = new Map<string, number>();
  let all = 0;
  return {
    hasRoom: (client) => (byClient.get(client) ?? 0) < maximum - all,
    opened: (client) => {
      all += 1;
      byClient.set(client, (byClient.get(client) ?? 0) + 1);
    },
    closed: (client) => {
      all -= 1;
      const left = (byClient.get(client) ?? 0) - 1;
      if (left > 0) {
        byClient.set(client, left);
      } else {
        byClient.delete(client);
      }
    },
  };
}
