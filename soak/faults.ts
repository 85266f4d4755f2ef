import { setTimeout } from 'node:timers/promises';
import type { Gateway } from './gateway.ts';
import type { Store } from './store.ts';

export interface Subject {
  readonly gateway: Pick<Gateway, 'restart'>;
  readonly store: Store;
}

export interface Fault {
  readonly name: string;
  /**
   * Breaks something, and resolves when everything that the service needs is available again.
   *
   * @param signal aborts it, after which the fault is repaired, or will be repaired by a later fault
   */
  readonly inject: (subject: Subject, signal: AbortSignal) => Promise<void>;
  /** Whether it stops the service, so that no process can answer until it is repaired. */
  readonly takesGateway?: true;
  /** Whether it needs access to PostgreSQL's processes, which only the embedded PostgreSQL allows. */
  readonly takesPostgres?: true;
}

/** Milliseconds that the database is frozen, or its table locked. */
const OUTAGE = 5000;

const CUTS = 20;

/** Milliseconds between two cuts. */
const CUT_INTERVAL = 100;

/** In the order in which they are injected. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'gateway killed',
    takesGateway: true,
    inject: ({ gateway }, signal) => gateway.restart('SIGKILL', signal),
  },
  {
    name: 'PostgreSQL killed',
    takesPostgres: true,
    inject: async ({ store }, signal) => {
      await store.postgres?.crash();
      await store.answers(signal);
    },
  },
  {
    name: 'PostgreSQL frozen',
    takesPostgres: true,
    inject: async ({ store }, signal) => {
      const thaw = await store.postgres?.freeze();
      try {
        await setTimeout(OUTAGE, undefined, { signal });
      } finally {
        thaw?.();
      }
    },
  },
  {
    name: 'connections cut',
    // A single cut would rarely hit a statement in flight.
    inject: async ({ store }, signal) => {
      await store.cutAllConnections();
      for (let cuts = 1; cuts < CUTS; cuts += 1) {
        await setTimeout(CUT_INTERVAL, undefined, { signal });
        await store.cutAllConnections();
      }
    },
  },
  {
    name: 'table locked',
    inject: ({ store }, signal) => store.lock(OUTAGE, signal),
  },
  {
    name: 'gateway restarted',
    takesGateway: true,
    inject: ({ gateway }, signal) => gateway.restart('SIGTERM', signal),
  },
];
