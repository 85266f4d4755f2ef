import { measureStalls } from '../../support/machine-stalls.ts';
import type { Cluster } from './cluster.ts';
import type { Fault } from './faults.ts';
import type { ReplicatedStore } from './replicated-store.ts';
import { secondsOf503, startStoreLoad } from './store-load.ts';

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
