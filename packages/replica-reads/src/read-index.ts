import type { Pool } from 'pg';
import { batcherFactory } from '@gateway/batched-prisma/batcher';
import type { Statement } from '@gateway/batched-prisma/statement';
import { timeStatement } from '@gateway/postgres/statement-time';
import { tracer } from '@gateway/telemetry/tracer';
import { openSession } from './session.ts';

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
    SELECT left(pg_walfile_name(pg_current_wal_flush_lsn()), 8),
      CASE current_setting('synchronous_commit')
        WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END,
      pg_current_snapshot()`,
};

/** Asks the primary for its read index: one statement for all who ask while the one before is in flight, sent after they did. */
export function createReadIndex(primary: Pool): () => Promise<ReadIndex> {
  const createBatcher = tracer.batches(batcherFactory());
  const askOnce = () => timeStatement(READ_INDEX.name, () => readIndexOf(primary));
  const ask = createBatcher<undefined, ReadIndex>(async (requests) => {
    const index = await tracer.statement(READ_INDEX.name, askOnce);
    for (const { resolve } of requests) {
      resolve(index);
    }
  });
  return () => ask(undefined);
}

async function readIndexOf(primary: Pool): Promise<ReadIndex> {
  const session = openSession(await primary.connect());
  try {
    const identity = await session.identity();
    const [[timeline, position, snapshot] = []] = await session.query(READ_INDEX, []);
    return {
      identity,
      timeline: Number.parseInt(timeline ?? '', 16),
      position: position ?? '',
      snapshot: snapshot ?? '',
    };
  } finally {
    session.release();
  }
}

/** Whether the primary shows these transactions, which are committed on one of its replicas. */
export function shows({ snapshot }: ReadIndex, transactions: readonly string[]): boolean {
  const [, next = '0', inProgress = ''] = snapshot.split(':');
  const hidden = new Set(inProgress.split(','));
  return transactions.every((id) => BigInt(id) < BigInt(next) && !hidden.has(id));
}
