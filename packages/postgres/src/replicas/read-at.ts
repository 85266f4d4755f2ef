import type { Pool, PoolClient } from 'pg';
import { batcherFactory, tracer, type Statement, type TextRow } from '@store-gateway/ops';
import { runStatement, sendStatement } from '../statement.ts';
import { isFaultOfStatement } from '../errors.ts';
import { setTimeout as pause } from 'node:timers/promises';

type ReplicaSession = ReturnType<typeof openReplicaSession>;

/** A connection for a few statements, which may be sent at once if it is pipelined. */
export function openReplicaSession(client: PoolClient) {
  // A pool listens to its idle connections alone. The statements fail, too.
  client.on('error', ignore);
  const sent: Promise<unknown>[] = [];
  const tracked =
    (run: typeof sendStatement) =>
    (statement: Statement, values: readonly unknown[]): Promise<readonly TextRow[]> => {
      const answer = run(client, statement, values);
      sent.push(answer);
      // The answer of a statement may never be looked at.
      answer.catch(ignore);
      return answer;
    };
  return {
    /** Measured and traced. */
    run: tracked(runStatement),
    query: tracked(sendStatement),
    /** Gives the connection back once all are answered, and closes it if one has failed. */
    release: () => {
      void giveBack(client, sent);
    },
  };
}

async function giveBack(client: PoolClient, sent: readonly Promise<unknown>[]): Promise<void> {
  const answers = await Promise.allSettled(sent);
  client.off('error', ignore);
  client.release(answers.some(({ status }) => status === 'rejected'));
}

function ignore(): void {}

/** An expression for the cluster, the rows that a session sees, and its role. */
const IDENTITY = `
  concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), current_database(),
    coalesce(current_schema(), '-'), current_user)`;

/** The primary at one moment. */
export interface ReadIndex {
  readonly identity: string;
  readonly timeline: number;
  /** In the write-ahead log: whatever was visible was committed before it. */
  readonly position: string;
  /** Which transactions were visible: `xmin:xmax:those in progress`. */
  readonly snapshot: string;
}

/**
 * A commit is visible only after it was flushed, unless synchronous_commit is off. The insert position would be safe in any
 * case, but a replica gets only what is flushed: with it, whatever is logged and not committed yet would send reads to
 * the primary.
 */
const READ_INDEX: Statement = {
  name: 'readIndex',
  text: `
    SELECT ${IDENTITY},
      left(pg_walfile_name(pg_current_wal_flush_lsn()), 8),
      CASE current_setting('synchronous_commit')
        WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END,
      pg_current_snapshot()`,
};

/** Asks the primary for its read index: one statement for all who ask while the one before is in flight, sent after they did. */
export function createReadIndex(primary: Pool): () => Promise<ReadIndex> {
  const createBatcher = tracer.batches(batcherFactory());
  const ask = createBatcher<undefined, ReadIndex>(async (requests) => {
    const [row = []] = await runStatement(primary, READ_INDEX, []);
    const index = readIndexIn(row);
    for (const { resolve } of requests) {
      resolve(index);
    }
  });
  return () => ask(undefined);
}

function readIndexIn([identity, timeline, position, snapshot]: TextRow): ReadIndex {
  return {
    identity: identity ?? '',
    timeline: Number.parseInt(timeline ?? '', 16),
    position: position ?? '',
    snapshot: snapshot ?? '',
  };
}

/** Whether the primary shows these transactions, which are committed on one of its replicas. */
export function shows({ snapshot }: ReadIndex, transactions: readonly string[]): boolean {
  const [, next = '0', inProgress = ''] = snapshot.split(':');
  const hidden = new Set(inProgress.split(','));
  return transactions.every((id) => BigInt(id) < BigInt(next) && !hidden.has(id));
}

/** `refused`: the statement is at fault, not the replica. `unavailable`: no replica is ready. */
export type Miss = 'ahead' | 'behind' | 'failed' | 'refused' | 'slow' | 'unavailable';

/** Why a read goes to the primary instead. */
export class ReplicaMiss extends Error {
  override readonly name = 'ReplicaMiss';
  readonly miss: Miss;

  /** @param reason for the log */
  constructor(miss: Miss, reason: string) {
    super(reason);
    this.miss = miss;
  }
}

/** The miss that a thrown error comes to. */
export function asMiss(error: unknown): ReplicaMiss {
  if (error instanceof ReplicaMiss) {
    return error;
  }
  const miss = isFaultOfStatement(error) ? 'refused' : 'failed';
  const origin = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new ReplicaMiss(miss, origin instanceof Error ? origin.message : String(origin));
}

/**
 * The result of a replica, which is not to keep a read waiting for long. What has arrived by then counts, even if the
 * process was too busy to look at it.
 *
 * @throws ReplicaMiss if it takes longer
 */
export function within<Result>(milliseconds: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(new ReplicaMiss('slow', `it does not respond within ${milliseconds} ms`));
    };
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}

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
      await pause(RETRY_INTERVAL_MS);
      isThere = await hasReached();
    }
    sent = isThere ? send() : sent;
  }
  const [rows, [[timeline, unseen, isFarAhead] = []]] = await within(ROWS_TIMEOUT_MS, sent);
  expectTimeline(index, timeline);
  if (!isThere) {
    throw new ReplicaMiss('behind', 'it has not yet replayed the latest commits of the primary');
  }
  if (isFarAhead === 't') {
    throw new ReplicaMiss('failed', 'it is far ahead of the primary');
  }
  return { rows, unseen: unseen?.split(',') ?? [] };
}

function expectIdentity({ identity }: ReadIndex, here: string | null | undefined): void {
  if (here !== identity) {
    throw new ReplicaMiss(
      'failed',
      `it differs from the primary in its system, database, schema or role: (${here}), not (${identity})`,
    );
  }
}

function expectTimeline({ timeline }: ReadIndex, here: string | null | undefined): void {
  if (Number(here) === timeline) {
    return;
  }
  const reason =
    here == null
      ? 'it does not receive anything from a primary'
      : here === '0'
        ? 'its role may not read the timeline: GRANT pg_read_all_stats'
        : `it is on timeline ${here} and the primary on ${timeline}`;
  throw new ReplicaMiss('failed', reason);
}
