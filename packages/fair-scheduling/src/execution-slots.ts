/** Bounds how much one client has under way at a time, in points of complexity. */
export interface ExecutionSlots {
  /**
   * Resolves to true when there is room for so many points among the client's own, without a promise if that is now;
   * to false if there is none in time. One that is larger than all there is has room when it is alone.
   */
  readonly enter: (client: string, points: number, timeoutMs: number) => Promise<boolean> | true;
  readonly leave: (client: string, points: number) => void;
}

interface UnderWay {
  points: number;
  readonly waiting: Set<{ readonly points: number; readonly admit: () => void }>;
}

export function createExecutionSlots(maximumPoints: number): ExecutionSlots {
  const byClient = new Map<string, UnderWay>();

  function hasRoom({ points: taken }: UnderWay, points: number): boolean {
    return taken === 0 || taken + points <= maximumPoints;
  }

  function leave(client: string, points: number): void {
    const underWay = byClient.get(client);
    if (underWay === undefined) {
      return;
    }
    underWay.points -= points;
    for (const next of underWay.waiting) {
      if (!hasRoom(underWay, next.points)) {
        break;
      }
      underWay.waiting.delete(next);
      underWay.points += next.points;
      next.admit();
    }
    if (underWay.points === 0) {
      byClient.delete(client);
    }
  }

  return {
    enter: (client, points, timeoutMs) => {
      const underWay = byClient.get(client) ?? { points: 0, waiting: new Set() };
      byClient.set(client, underWay);
      if (underWay.waiting.size === 0 && hasRoom(underWay, points)) {
        underWay.points += points;
        return true;
      }
      return new Promise((resolve) => {
        const timer = setTimeout(
          () => {
            underWay.waiting.delete(entry);
            resolve(false);
          },
          Math.max(0, timeoutMs),
        );
        const entry = {
          points,
          admit: () => {
            clearTimeout(timer);
            resolve(true);
          },
        };
        underWay.waiting.add(entry);
      });
    },
    leave,
  };
}
