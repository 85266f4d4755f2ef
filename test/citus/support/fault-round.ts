import { secondsOf503, startStoreLoad } from '../../cluster/support/store-load.ts';
import { pagesAfter } from './pages-after.ts';
import type { NodeFault } from './node-faults.ts';
import type { ShardedStore } from './sharded-store.ts';

/** What came of a fault under load. */
export interface Outcome {
  readonly what: string;
  readonly acknowledged: number;
  /** Acknowledged animals that are not there exactly once, in words. */
  readonly lost: readonly string[];
  /** Responses that were not linearizable, or neither right nor 503, in words. */
  readonly wrong: readonly string[];
  /** Ids that pages leave out, or have twice. */
  readonly gaps: readonly string[];
  /** How often a response told of an animal. */
  readonly checks: number;
  readonly seconds503: number;
}

/** Acknowledged creates of each client before the fault, after it, and in the end. */
const CREATES = 3;

/** Has something befall a cluster under load, and compares what clients were told with what is there. */
export async function runRound(store: ShardedStore, { what, befall }: NodeFault): Promise<Outcome> {
  // What was refused in the round before may be added yet, under an id that it was given then.
  const [{ id: lastId } = { id: 0 }] = await store.query<{ id: number }>(
    "SELECT coalesce(pg_sequence_last_value('pets_id_seq'), 0)::int AS id",
  );
  // Each shard is read at a moment of its own.
  const load = startStoreLoad(store, lastId, { readsAtOnce: false });
  await load.acknowledged(CREATES);
  await befall(store, load);
  await load.acknowledged(CREATES);
  await load.end();
  const pages = await pagesAfter(store, lastId);
  const stored = await store.animalsAfter(lastId);
  const ids = stored.map(({ id }) => id);
  const { faults: wrong, checks } = load.history.verdict();
  return {
    what,
    acknowledged: load.ledger.counts().acknowledged,
    lost: load.lostFrom(stored),
    wrong,
    // No client is left who might write.
    gaps: [...new Set([...pages, ...ids])].filter(
      (id) => countOf(pages, id) !== 1 || countOf(ids, id) !== 1,
    ),
    checks,
    seconds503: secondsOf503([...load.creates, ...load.reads]),
  };
}

function countOf(ids: readonly string[], id: string): number {
  return ids.filter((other) => other === id).length;
}
