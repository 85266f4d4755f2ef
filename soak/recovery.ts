import type { Fault } from './faults.ts';
import type { Outcome } from './outcome.ts';

/** How the service bore one fault. Seconds since the run began, where nothing else is said. */
export interface Recovery {
  readonly fault: string;
  readonly at: number;
  /** When what the service needs was there again. */
  readonly repaired: number;
  /** Requests that were not done, of those under way at the fault or sent after it, until the next one. */
  readonly refused: number;
  /** Milliseconds from when what it needs was there again to the last request that was not done; 0 if there was none. */
  readonly recovery: number;
}

export interface RecoveryWatch {
  /**
   * Must be called for each request as soon as it is over.
   *
   * @param sent when it was sent
   * @returns what became of it in view of the faults so far: wrong where none of them excuses it
   */
  readonly answered: (sent: number, outcome: Outcome) => Outcome;
  readonly injected: (fault: Pick<Fault, 'name' | 'takesGateway'>) => void;
  readonly repaired: () => void;
  readonly recoveries: () => readonly Recovery[];
}

interface Injected {
  readonly fault: Pick<Fault, 'name' | 'takesGateway'>;
  readonly at: number;
  repaired: number;
  /** When requests were sent that were not done. */
  readonly refusals: number[];
}

/** @param now seconds since the run began */
export function watchRecovery(now: () => number): RecoveryWatch {
  const injected: Injected[] = [];
  return {
    answered: (sent, outcome) => {
      // A fault breaks what is under way too: so the last one before the answer, not before the request.
      const last = injected.at(-1);
      if (outcome !== 'good') last?.refusals.push(sent);
      return isExcused(sent, outcome, last) ? outcome : 'wrong';
    },
    injected: (fault) => {
      injected.push({ fault, at: now(), repaired: Infinity, refusals: [] });
    },
    repaired: () => {
      const last = injected.at(-1);
      if (last !== undefined) last.repaired = now();
    },
    recoveries: () =>
      injected.map(({ fault, at, repaired, refusals }) => {
        const refused = refusals.length;
        const last = refusals.reduce((latest, sent) => Math.max(latest, sent), 0);
        const recovery = Math.max(0, (last - repaired) * 1000);
        return { fault: fault.name, at, repaired, refused, recovery };
      }),
  };
}

/** How long after its repair a fault excuses a 503 is another matter, which depends on all of them. */
function isExcused(sent: number, outcome: Outcome, last: Injected | undefined): boolean {
  if (outcome === 'unavailable') return last !== undefined;
  if (outcome === 'unanswered') return last?.fault.takesGateway === true && sent < last.repaired;
  return true;
}
