import { setTimeout } from 'node:timers/promises';
import type { Gateway } from './gateway.ts';
import type { Store } from './store.ts';

export interface Subject {
  readonly gateway: Gateway;
  readonly store: Store;
}

export interface Fault {
  readonly name: string;
  /** Breaks something; resolves as soon as whatever the service needs is there again. */
  readonly strike: (subject: Subject) => Promise<void>;
  /** Whether it takes PostgreSQL's processes, which only the embedded one's are ours to touch. */
  readonly takesServer?: true;
}

/** Milliseconds that the database is frozen, or its table locked. */
const AWHILE = 5000;

const CUTS = 20;

/** Milliseconds. */
const BETWEEN_CUTS = 100;

/** In the order in which they strike. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'gateway killed',
    strike: ({ gateway }) => gateway.restart('SIGKILL'),
  },
  {
    name: 'PostgreSQL killed',
    takesServer: true,
    strike: async ({ store }) => {
      await store.postgres?.crash();
      await store.postgres?.answers();
    },
  },
  {
    name: 'PostgreSQL frozen',
    takesServer: true,
    strike: async ({ store }) => {
      const thaw = await store.postgres?.freeze();
      await setTimeout(AWHILE);
      thaw?.();
    },
  },
  {
    name: 'connections cut',
    // Once would hardly ever meet a statement under way.
    strike: async ({ store }) => {
      for (let time = 0; time < CUTS; time += 1) {
        await store.cutAllConnections();
        await setTimeout(BETWEEN_CUTS);
      }
    },
  },
  {
    name: 'table locked',
    strike: ({ store }) => store.lock(AWHILE),
  },
  {
    name: 'gateway restarted',
    strike: ({ gateway }) => gateway.restart('SIGTERM'),
  },
];
