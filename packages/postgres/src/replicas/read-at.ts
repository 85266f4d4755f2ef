import type { Pool, PoolClient } from 'pg';
import { batcherFactory, tracer, type Statement, type TextRow } from '@store-gateway/ops';
import { runStatement, sendStatement } from '../statement.ts';
import { isStatementError } from '../errors.ts';
import { setTimeout as pause } from 'node:timers/promises';

type ReplicaSession = ReturnType<typeof openReplicaSession>;

/** Uses a connection for a few statements, which can be sent at once if the connection is pipelined. */
export function openReplicaSession(client: PoolClient) {
  // A pool only handles errors on idle connections. They are ignored here, because the statements fail too.
  client.on('error', ignore);
  const sent: Promise<unknown>[] = [];
  const tracked =
    (run: typeof sendStatement) =>
    (statement: Statement, values: readonly unknown[]): Promise<readonly TextRow[]> => {
      const answer = run(client, statement, values);
      sent.push(answer);
      // Prevents an unhandled rejection, because the caller may never await this result.
      answer.catch(ignore);
      return answer;
    };
  return {
    /** Runs a statement, and measures and traces it. */
    run: tracked(runStatement),
    query: tracked(sendStatement),
    /** Releases the connection when all statements have been answered, or closes it if one has failed. */
    release: () => {
      void returnClient(client, sent);
    },
  };
}

async function returnClient(client: PoolClient, sent: readonly Promise<unknown>[]): Promise<void> {
  const answers = await Promise.allSettled(sent);
  client.off('error', ignore);
  client.release(answers.some(({ status }) => status === 'rejected'));
}

function ignore(): void {}

/** A SQL expression that identifies the cluster, the rows that a session sees, and its role. */
const IDENTITY = `
  concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), current_database(),
    coalesce(current_schema(), '-'), current_user)`;

/** The state of the primary at one moment. */
export interface ReadIndex {
  readonly identity: string;
  readonly timeline: number;
  /** A position in the write-ahead log: everything that was visible was committed before it. */
  readonly position: string;
  /** The visible transactions, in PostgreSQL's format `xmin:xmax:those in progress`. */
  readonly snapshot: string;
}

/**
 * A commit becomes visible only after it is flushed, unless synchronous_commit is off. The insert position would be safe even
 * then, but a replica only gets what has been flushed: with the insert position, any record that is logged but not yet committed
 * would send reads to the primary.
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

/**
 * Returns a function that queries the primary for its read index. Calls during a query share the next query, which is sent after
 * all of them.
 */
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

/** Whether these transactions, which are committed on a replica, are visible on the primary. */
export function shows({ snapshot }: ReadIndex, transactions: readonly string[]): boolean {
  const [, next = '0', inProgress = ''] = snapshot.split(':');
  const hidden = new Set(inProgress.split(','));
  return transactions.every((id) => BigInt(id) < BigInt(next) && !hidden.has(id));
}

/**
 * Why a replica didn't serve a read. `refused`: the statement is at fault, not the replica. `unavailable`: no replica is ready.
 */
export type Miss = 'ahead' | 'behind' | 'failed' | 'refused' | 'slow' | 'unavailable';

/** The error for a read that a replica didn't serve, so that the primary serves it. */
export class ReplicaMiss extends Error {
  override readonly name = 'ReplicaMiss';
  readonly miss: Miss;

  /** @param reason a description for the log */
  constructor(miss: Miss, reason: string) {
    super(reason);
    this.miss = miss;
  }
}

/** Converts a thrown error to a ReplicaMiss. */
export function asMiss(error: unknown): ReplicaMiss {
  if (error instanceof ReplicaMiss) {
    return error;
  }
  const miss = isStatementError(error) ? 'refused' : 'failed';
  const origin = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new ReplicaMiss(miss, origin instanceof Error ? origin.message : String(origin));
}

/**
 * Returns a replica's result, if it arrives in time. A result that has arrived in time counts, even if the process was too busy
 * to handle it immediately.
 *
 * @throws ReplicaMiss if it takes longer
 */
export function within<Result>(milliseconds: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(new ReplicaMiss('slow', `it did not respond within ${milliseconds} ms`));
    };
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}

/** The result of a read on a replica. */
export interface ReplicaAnswer {
  readonly rows: readonly TextRow[];
  /** Transactions whose changes the rows may show, but that weren't visible on the primary at the read index. */
  readonly unseen: readonly string[];
}

const REACHED: Statement = {
  name: 'replicaReached',
  text: `
    SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn, ${IDENTITY}`,
};

/** If more transactions than this have begun on a replica since the read index, the replica belongs to a different cluster. */
const MAX_BEGUN = 10_000;

/**
 * Selects the timeline, or 0 if the role may not read it; the transactions that are committed on the replica but weren't visible
 * on the primary; and whether there are too many to check.
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

/** Timeout for the first result on a ready connection. A replica that takes longer is hung or overloaded. */
export const ANSWER_TIMEOUT_MS = 20;
/** Timeout for the rows after the first result. It is longer, because a query may take a while. */
const ROWS_TIMEOUT_MS = 500;
/** How many times to check again whether a replica has replayed up to the position. */
const REPLAY_ATTEMPTS = 5;
export const RETRY_INTERVAL_MS = 1;

/**
 * Reads at a read index or later. A separate statement compares the positions before the read, because within one statement the
 * comparison would be newer than the snapshot. The timelines are compared after the read: a replica never returns to an earlier
 * timeline, so its position was on the primary's timeline too. All statements are sent at once, each in its own transaction.
 *
 * @throws ReplicaMiss, or the error from a statement
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
  // Its result is ignored if the replica hasn't reached the position yet.
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
      ? 'it is not receiving anything from a primary'
      : here === '0'
        ? 'its role may not read the timeline: GRANT pg_read_all_stats'
        : `it is on timeline ${here} and the primary on ${timeline}`;
  throw new ReplicaMiss('failed', reason);
}
