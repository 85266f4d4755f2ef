/**
 * Counts each client's open requests, and limits them to the number that is still free (dynamic thresholds,
 * https://doi.org/10.1109/90.664262). One greedy client gets half of the maximum; k greedy clients get `maximum / (k + 1)` each,
 * and the same number is left for the next client.
 *
 * @param maximum the limit for all clients together
 */
export function createOpenShares(maximum: number) {
  const byClient = new Map<string, number>();
  let total = 0;
  return {
    /** Whether a client may open one more request. */
    hasRoom: (client: string): boolean => (byClient.get(client) ?? 0) < maximum - total,
    /**
     * Records that a client has opened one more request. Call it only after `hasRoom`, because it doesn't check the limit itself.
     */
    opened: (client: string): void => {
      total += 1;
      byClient.set(client, (byClient.get(client) ?? 0) + 1);
    },
    /** Records that one of a client's requests has closed. */
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

interface Slots {
  points: number;
  readonly waiting: Set<{ readonly points: number; readonly admit: () => void }>;
}

/**
 * Limits the work that a client has in flight, measured in complexity points.
 *
 * @param maximumPoints the limit for each client
 */
export function createExecutionSlots(maximumPoints: number) {
  const byClient = new Map<string, Slots>();

  function take(slots: Slots, points: number): boolean {
    const hasRoom = slots.points === 0 || slots.points + points <= maximumPoints;
    slots.points += hasRoom ? points : 0;
    return hasRoom;
  }

  return {
    /**
     * Resolves to true when the client has room for the points, or to false after the timeout. Returns true, without a promise,
     * if there is room now. Work that exceeds the maximum is admitted when the client has nothing else in flight.
     */
    enter: (client: string, points: number, timeoutMs: number): Promise<boolean> | true => {
      const slots = byClient.get(client) ?? { points: 0, waiting: new Set() };
      byClient.set(client, slots);
      if (slots.waiting.size === 0 && take(slots, points)) {
        return true;
      }
      return new Promise((resolve) => {
        const expire = (): void => {
          slots.waiting.delete(entry);
          resolve(false);
        };
        const timer = setTimeout(expire, Math.max(0, timeoutMs));
        const entry = {
          points,
          admit: () => {
            clearTimeout(timer);
            resolve(true);
          },
        };
        slots.waiting.add(entry);
      });
    },
    /** Releases the points that `enter` granted, and admits work that is waiting for them. Call it once for each `true`. */
    leave: (client: string, points: number): void => {
      const slots = byClient.get(client);
      if (slots === undefined) {
        return;
      }
      slots.points -= points;
      for (const next of slots.waiting) {
        if (!take(slots, next.points)) {
          break;
        }
        slots.waiting.delete(next);
        next.admit();
      }
      if (slots.points === 0) {
        byClient.delete(client);
      }
    },
  };
}
