import { figuresOf as tableOf, sumOf } from '../../cluster/support/figures.ts';
import { secondsOf503, startStoreLoad } from '../../cluster/support/store-load.ts';
import { animalsIn } from '../../support/store-requests.ts';
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

/** Small enough for many pages. */
const LIMIT = 7;

/** The ids that a client finds who reads on from page to page. */
async function pagesAfter({ urls: [url = ''], key, ask }: ShardedStore, after: number) {
  const ids: string[] = [];
  for (let last = after; ;) {
    const answer = await ask(url, key, `GET /v1/pets?limit=${LIMIT}&after=${last}`);
    const page = answer.status === 200 ? animalsIn(answer) : undefined;
    if (page?.length === 0) return ids;
    for (const { id } of page ?? []) {
      ids.push(String(id));
      last = id;
    }
  }
}

/** A row for each fault. */
export function figuresOf(outcomes: readonly Outcome[]): string {
  return tableOf(outcomes, 'what happened', {
    acknowledged: sumOf(({ acknowledged }) => acknowledged),
    'lost or doubled': sumOf(({ lost }) => lost.length),
    wrong: sumOf(({ wrong }) => wrong.length),
    gaps: sumOf(({ gaps }) => gaps.length),
    '503 s': (all) => `≤ ${Math.max(...all.map(({ seconds503 }) => seconds503)).toFixed(1)}`,
  });
}
