import type { Fault } from './faults.ts';
import type { Outcome } from './outcome.ts';

/** How the service recovered from one fault. Times are in seconds since the run began, unless stated otherwise. */
export interface Recovery {
  readonly fault: string;
  readonly at: number;
  /** When everything that the service needs was available again. */
  readonly repaired: number;
  /** Number of failed requests, of those in flight at the fault or sent between it and the next fault. */
  readonly refused: number;
  /** Milliseconds from the repair until the last failed request was sent; 0 if none was sent after the repair. */
  readonly recovery: number;
}

export interface RecoveryWatch {
  /**
   * Must be called for each request when it has ended.
   *
   * @param sent when it was sent
   * @returns its outcome, which is `wrong` if no fault so far excuses a failure
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
  /** The times at which the failed requests were sent. */
  readonly refusals: number[];
}

/** @param now seconds since the run began */
export function watchRecovery(now: () => number): RecoveryWatch {
  const injected: Injected[] = [];
  return {
    answered: (sent, outcome) => {
      // A fault also affects requests in flight, so this is the last fault before the answer, not before the request.
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

/** Whether the last fault excuses an outcome. How long after its repair it excuses a 503 is checked at the end (verdict.ts). */
function isExcused(sent: number, outcome: Outcome, last: Injected | undefined): boolean {
  if (outcome === 'unavailable') return last !== undefined;
  if (outcome === 'unanswered') return last?.fault.takesGateway === true && sent < last.repaired;
  return true;
}
