import type { Outcome } from './request.ts';

/** How the service bore one fault. Seconds since the run began, where nothing else is said. */
export interface Recovery {
  readonly fault: string;
  readonly at: number;
  /** When what the service needs was there again. */
  readonly mended: number;
  /** Requests that were not done, sent from the fault on until the next one. */
  readonly refused: number;
  /** Milliseconds from when what it needs was there again to the last request that was not done; 0 if there was none. */
  readonly recovery: number;
}

export interface RecoveryWatch {
  /** When a request was sent, and what became of it. */
  readonly answered: (sent: number, outcome: Outcome) => void;
  readonly struck: (fault: string) => void;
  readonly mended: () => void;
  readonly recoveries: () => readonly Recovery[];
}

/** @param now seconds since the run began */
export function watchRecovery(now: () => number): RecoveryWatch {
  const struck: {
    readonly fault: string;
    readonly at: number;
    mended: number;
    refusals: number[];
  }[] = [];
  return {
    answered: (sent, outcome) => {
      if (outcome !== 'good') struck.at(-1)?.refusals.push(sent);
    },
    struck: (fault) => {
      struck.push({ fault, at: now(), mended: Infinity, refusals: [] });
    },
    mended: () => {
      const last = struck.at(-1);
      if (last !== undefined) last.mended = now();
    },
    recoveries: () =>
      struck.map(({ fault, at, mended, refusals }) => {
        const refused = refusals.length;
        const last = refusals.reduce((latest, sent) => Math.max(latest, sent), 0);
        return { fault, at, mended, refused, recovery: Math.max(0, (last - mended) * 1000) };
      }),
  };
}
