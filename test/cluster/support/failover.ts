import { measureStalls } from '../../support/machine-stalls.ts';
import type { Cluster } from './cluster.ts';
import { switchOver, type DatabaseMachine } from './database-machine.ts';
import { figuresOf as tableOf, sumOf } from './figures.ts';
import type { ReplicatedStore } from './replicated-store.ts';
import { secondsOf503, startStoreLoad } from './store-load.ts';

/** A fault of the primary after which a standby is promoted. */
export interface Fault {
  readonly what: string;
  /** @param others all other machines of the cluster */
  readonly cause: (primary: DatabaseMachine, others: readonly DatabaseMachine[]) => Promise<void>;
  /**
   * Whether lists may show animals that are never acknowledged and later disappear. The gateway cancels creates that wait
   * for a standby, but PostgreSQL shows their rows until it is demoted (docs/failover.md).
   */
  readonly showsUnacknowledged?: boolean;
  /** The repair that Patroni does not do itself. */
  readonly repair?: (old: DatabaseMachine) => Promise<void>;
}

export const FAULTS: readonly Fault[] = [
  {
    what: "the primary's PostgreSQL is killed",
    cause: (primary) => primary.killPostgres(),
  },
  {
    what: "the primary's Patroni is killed while PostgreSQL keeps running",
    cause: (primary) => primary.patroni().kill(),
    repair: (old) => old.startPatroni(),
  },
  {
    what: "the primary's Patroni hangs while PostgreSQL keeps running",
    cause: (primary) => primary.patroni().freeze(),
    repair: (old) => old.patroni().thaw(),
  },
  {
    what: 'the network drops all traffic of the primary',
    cause: (primary) => primary.cut(),
    repair: (old) => old.reconnect(),
  },
  {
    what: 'the network drops traffic from the primary to its standbys, but not to the gateways',
    cause: (primary, others) => primary.cutFrom(others.map(({ address }) => address)),
    repair: (old) => old.reconnect(),
    showsUnacknowledged: true,
  },
  {
    what: 'an operator requests a switchover',
    cause: switchOver,
  },
];

/** The outcome of a fault under load. Times are in seconds. */
export interface Outcome {
  readonly what: string;
  readonly acknowledged: number;
  /** Descriptions of acknowledged animals that are not stored exactly once with the acknowledged values. */
  readonly lost: readonly string[];
  /** Descriptions of responses that were not linearizable, or neither correct nor 503. */
  readonly wrong: readonly string[];
  /** How many times a response contained an animal. */
  readonly checks: number;
  /** The number of reads that replicas served. */
  readonly byReplicas: number;
  /** Whether the old primary could still commit after the new one was promoted. */
  readonly isSplit: boolean;
  readonly untilPromoted: number;
  readonly creates503: number;
  readonly reads503: number;
  /** The time until all three machines worked together again, including the repair. */
  readonly untilWhole: number;
  /** For how long the host stalled meanwhile. */
  readonly stalled: number;
}

/** Acknowledged creates by each client before the fault, after it, and after the repair. */
const CREATES = 10;

/** Causes a fault under load, repairs it, and compares the clients' responses with the stored rows. */
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
  // Checked only now, because the third machine could receive writes from the old primary until it follows the new one.
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

/** Returns the figures for docs/results/failover.md. */
export function figuresOf(outcomes: readonly Outcome[]): string {
  return tableOf(outcomes, 'fault', {
    acknowledged: sumOf(({ acknowledged }) => acknowledged),
    'lost or doubled': sumOf(({ lost }) => lost.length),
    'wrong responses': sumOf(({ wrong }) => wrong.length),
    'promoted after s': spreadOf(({ untilPromoted }) => untilPromoted),
    'creates 503 s': spreadOf(({ creates503 }) => creates503),
    'reads 503 s': spreadOf(({ reads503 }) => reads503),
    'whole after s': spreadOf(({ untilWhole }) => untilWhole),
  });
}

/** Formats the median and the maximum. */
const spreadOf =
  (seconds: (outcome: Outcome) => number) =>
  (all: readonly Outcome[]): string => {
    const sorted = all.map(seconds).toSorted((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
    return `${middle.toFixed(1)}, ≤ ${(sorted.at(-1) ?? 0).toFixed(1)}`;
  };
