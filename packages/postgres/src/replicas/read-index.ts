import type { Pool } from 'pg';
import { batcherFactory, tracer, type Statement, type TextRow } from '@store-gateway/ops';
import { runStatement } from '../statement.ts';

/** An expression for the cluster, the rows that a session sees, and its role. */
export const IDENTITY = `
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
