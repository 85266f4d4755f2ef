import type { Statement, TextRow } from '@store-gateway/ops';
import { setTimeout } from 'node:timers/promises';
import { IDENTITY, type ReadIndex } from './read-index.ts';
import { ReplicaMiss, within } from './replica-miss.ts';
import type { ReplicaSession } from './replica-session.ts';

/** What a replica has answered. */
export interface ReplicaAnswer {
  readonly rows: readonly TextRow[];
  /** Transactions that the rows may show, and that the primary didn't at the read index. */
  readonly unseen: readonly string[];
}

const REACHED: Statement = {
  name: 'replicaReached',
  text: `
    SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn, ${IDENTITY}`,
};

/** A replica on which so many transactions have begun since is another cluster's. */
const MAX_BEGUN = 10_000;

/**
 * The timeline, 0 if it may not be read; of the transactions that the primary didn't show, those committed here; whether
 * there are too many to look at.
 */
const SEEN: Statement = {
  name: 'replicaSeen',
  text: `
    WITH here AS MATERIALIZED (
      SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
        pg_snapshot_xmax($1::pg_snapshot)::text::bigint AS first
    )
    SELECT (SELECT coalesce(received_tli, 0) FROM pg_stat_wal_receiver), (
      SELECT string_agg(id::text, ',')
      FROM here CROSS JOIN LATERAL (
        SELECT pg_snapshot_xip($1::pg_snapshot)::text::bigint AS id
        UNION ALL
        SELECT generate_series(here.first, least(here.next, here.first + ${MAX_BEGUN}) - 1)
      ) AS later
      WHERE CASE WHEN id < here.next THEN pg_xact_status(id::text::xid8) = 'committed' END
    ), (SELECT next > first + ${MAX_BEGUN} FROM here)`,
};

/** For the first answer on a connection that is ready: a replica that takes longer is hung, or overloaded. */
export const ANSWER_TIMEOUT_MS = 20;
/** For the rows after that, which may take long. */
const ROWS_TIMEOUT_MS = 500;
/** How often a replica is asked again until it has replayed up to the position. */
const REPLAY_ATTEMPTS = 5;
export const RETRY_INTERVAL_MS = 1;

/**
 * Reads at a read index or later. The positions are compared by a statement of its own before the read: within one, the
 * comparison would be younger than the snapshot. The timelines are compared after it: a replica never goes back to an
 * earlier one, so its position was on the primary's, too. All are sent at once, and each is a transaction of its own.
 *
 * @throws ReplicaMiss, or what a statement throws
 */
export async function readAt(
  { query, run }: ReplicaSession,
  index: ReadIndex,
  statement: Statement,
  values: readonly unknown[],
): Promise<ReplicaAnswer> {
  const hasReached = async (): Promise<boolean> => {
    const asked = query(REACHED, [index.position]);
    const [[isReached, here] = []] = await within(ANSWER_TIMEOUT_MS, asked);
    expectIdentity(index, here);
    return isReached === 't';
  };
  const send = () => Promise.all([run(statement, values), query(SEEN, [index.snapshot])]);

  const reached = hasReached();
  let sent = send();
  // Its answer isn't looked at if the replica isn't there yet.
  sent.catch(() => undefined);
  let isThere = await reached;
  if (!isThere) {
    for (let attempts = 0; !isThere && attempts < REPLAY_ATTEMPTS; attempts += 1) {
      await setTimeout(RETRY_INTERVAL_MS);
      isThere = await hasReached();
    }
    sent = isThere ? send() : sent;
  }
  const [rows, [[timeline, unseen, isFarAhead] = []]] = await within(ROWS_TIMEOUT_MS, sent);
  expectTimeline(index, timeline);
  if (!isThere) {
    throw new ReplicaMiss('behind', 'it has not replayed what the primary has committed');
  }
  if (isFarAhead === 't') {
    throw new ReplicaMiss('failed', 'it is far ahead of the primary');
  }
  return { rows, unseen: unseen?.split(',') ?? [] };
}

function expectIdentity({ identity }: ReadIndex, here: string | null | undefined): void {
  if (here !== identity) {
    throw new ReplicaMiss('failed', `it is (${here}) and the primary (${identity})`);
  }
}

function expectTimeline({ timeline }: ReadIndex, here: string | null | undefined): void {
  if (Number(here) === timeline) {
    return;
  }
  const reason =
    here == null
      ? 'it receives nothing from a primary'
      : here === '0'
        ? 'its role may not read the timeline: GRANT pg_read_all_stats'
        : `it is on timeline ${here} and the primary on ${timeline}`;
  throw new ReplicaMiss('failed', reason);
}
