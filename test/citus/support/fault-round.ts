import { figuresOf as tableOf, sumOf } from '../../cluster/support/figures.ts';
import { secondsOf503, startStoreLoad } from '../../cluster/support/store-load.ts';
import { animalsIn } from '../../support/store-requests.ts';
import type { NodeFault } from './node-faults.ts';
import type { ShardedStore } from './sharded-store.ts';

/** The outcome of a fault under load. */
export interface Outcome {
  readonly what: string;
  readonly acknowledged: number;
  /** Descriptions of acknowledged animals that are not stored exactly once. */
  readonly lost: readonly string[];
  /** Descriptions of responses that were not linearizable, or neither correct nor 503. */
  readonly wrong: readonly string[];
  /** Ids that pages omit or contain twice. */
  readonly gaps: readonly string[];
  /** How many times a response contained an animal. */
  readonly checks: number;
  readonly seconds503: number;
}

/** Acknowledged creates by each client before and after the fault. */
const CREATES = 3;

/** Injects a fault into a cluster under load, and compares the clients' responses with the stored rows. */
export async function runRound(store: ShardedStore, { what, befall }: NodeFault): Promise<Outcome> {
  // Failed creates of the previous round may still be committed, with the ids that they were assigned then.
  const [{ id: lastId } = { id: 0 }] = await store.query<{ id: number }>(
    "SELECT coalesce(pg_sequence_last_value('pets_id_seq'), 0)::int AS id",
  );
  // A query on several shards reads each at a different moment.
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
    // All clients have ended, so nothing is written any more.
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

/** Small enough that there are many pages. */
const LIMIT = 7;

/** Returns the ids that a client finds by reading all pages. */
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

/** Returns a table with a row for each fault. */
export function figuresOf(outcomes: readonly Outcome[]): string {
  return tableOf(outcomes, 'what happened', {
    acknowledged: sumOf(({ acknowledged }) => acknowledged),
    'lost or doubled': sumOf(({ lost }) => lost.length),
    wrong: sumOf(({ wrong }) => wrong.length),
    gaps: sumOf(({ gaps }) => gaps.length),
    '503 s': (all) => `≤ ${Math.max(...all.map(({ seconds503 }) => seconds503)).toFixed(1)}`,
  });
}
