import { measureStalls } from '../../support/machine-stalls.ts';
import type { Cluster } from './cluster.ts';
import { switchOver, type DatabaseMachine } from './database-machine.ts';
import { figuresOf as tableOf, sumOf } from './figures.ts';
import type { ReplicatedStore } from './replicated-store.ts';
import { secondsOf503, startStoreLoad } from './store-load.ts';

/** What may befall the primary, so that another machine becomes it. */
export interface Fault {
  readonly what: string;
  /** @param others all other machines of the cluster */
  readonly cause: (primary: DatabaseMachine, others: readonly DatabaseMachine[]) => Promise<void>;
  /**
   * Whether lists may show animals that are never acknowledged, and then not any more: the gateway cancels creates that
   * wait for a standby, and PostgreSQL shows what they have added until it is demoted (docs/failover.md).
   */
  readonly showsUnacknowledged?: boolean;
  /** What somebody or something does afterwards; Patroni does the rest. */
  readonly repair?: (old: DatabaseMachine) => Promise<void>;
}

export const FAULTS: readonly Fault[] = [
  {
    what: 'its PostgreSQL is killed',
    cause: (primary) => primary.killPostgres(),
  },
  {
    what: 'its Patroni is killed, and PostgreSQL goes on',
    cause: (primary) => primary.patroni().kill(),
    repair: (old) => old.startPatroni(),
  },
  {
    what: 'its Patroni hangs, and PostgreSQL goes on',
    cause: (primary) => primary.patroni().freeze(),
    repair: (old) => old.patroni().thaw(),
  },
  {
    what: 'the network drops all that it sends and is sent',
    cause: (primary) => primary.cut(),
    repair: (old) => old.reconnect(),
  },
  {
    what: 'the network drops what it sends to the other two, but not to the gateways',
    cause: (primary, others) => primary.cutFrom(others.map(({ address }) => address)),
    repair: (old) => old.reconnect(),
    showsUnacknowledged: true,
  },
  {
    what: 'somebody switches over',
    cause: switchOver,
  },
];

/** What came of a fault under load. Times are seconds. */
export interface Outcome {
  readonly what: string;
  readonly acknowledged: number;
  /** Acknowledged animals that are not there exactly once, as they were acknowledged, in words. */
  readonly lost: readonly string[];
  /** Responses that were not linearizable, or neither right nor 503, in words. */
  readonly wrong: readonly string[];
  /** How often a response told of an animal. */
  readonly checks: number;
  /** Reads that replicas have answered. */
  readonly byReplicas: number;
  /** Whether the old primary still committed anything when there was a new one. */
  readonly isSplit: boolean;
  readonly untilPromoted: number;
  readonly creates503: number;
  readonly reads503: number;
  /** Until all three machines worked together again, repair included. */
  readonly untilWhole: number;
  /** For how long the machine stood still meanwhile. */
  readonly stalled: number;
}

/** Acknowledged creates of each client before the fault, after it, and after the repair. */
const CREATES = 10;

/** Causes a fault under load, repairs it, and compares what clients were told with what is there. */
export async function failOver(
  cluster: Cluster,
  store: ReplicatedStore,
  { what, cause, repair, showsUnacknowledged = false }: Fault,
): Promise<Outcome> {
  await using stalls = await measureStalls();
  const primary = await cluster.whole();
  const others = cluster.machines.filter((machine) => machine !== primary);
  const lastId = await store.lastId();
  const byReplicasBefore = await store.byReplicas();
  const load = startStoreLoad(store, lastId, { learnsFromReads: !showsUnacknowledged });
  await load.acknowledged(CREATES);
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  await cause(primary, others);
  await cluster.primary(primary);
  const untilPromoted = elapsed();
  await load.acknowledged(CREATES);
  // Only now: until the third machine follows the new primary, it would get what the old one writes.
  const isSplit = await primary.commits();
  await repair?.(primary);
  await cluster.whole();
  const untilWhole = elapsed();
  await load.acknowledged(CREATES);
  await load.end();
  const { faults: wrong, checks } = load.history.verdict();
  return {
    what,
    acknowledged: load.ledger.counts().acknowledged,
    lost: load.lostFrom(await store.animalsAfter(lastId)),
    wrong,
    checks,
    byReplicas: (await store.byReplicas()) - byReplicasBefore,
    isSplit,
    untilPromoted,
    creates503: secondsOf503(load.creates),
    reads503: secondsOf503(load.reads),
    untilWhole,
    stalled: (await stalls.totalWithin(began)) / 1000,
  };
}

/** The figures of docs/results/failover.md. */
export function figuresOf(outcomes: readonly Outcome[]): string {
  return tableOf(outcomes, 'of the primary', {
    acknowledged: sumOf(({ acknowledged }) => acknowledged),
    'lost or doubled': sumOf(({ lost }) => lost.length),
    'wrong responses': sumOf(({ wrong }) => wrong.length),
    'promoted after s': spreadOf(({ untilPromoted }) => untilPromoted),
    'creates 503 s': spreadOf(({ creates503 }) => creates503),
    'reads 503 s': spreadOf(({ reads503 }) => reads503),
    'whole after s': spreadOf(({ untilWhole }) => untilWhole),
  });
}

/** The median, and the maximum. */
const spreadOf =
  (seconds: (outcome: Outcome) => number) =>
  (all: readonly Outcome[]): string => {
    const sorted = all.map(seconds).toSorted((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
    return `${middle.toFixed(1)}, ≤ ${(sorted.at(-1) ?? 0).toFixed(1)}`;
  };
