import type { Pool } from 'pg';
import { batcherFactory } from '@gateway/coalescing/batcher';
import type { Statement, TextRow } from '@gateway/batched-prisma/statement';
import { sendStatement } from '../statement.ts';
import { timeStatement } from '../statement-time.ts';
import { tracer } from '@gateway/telemetry/tracer';
import { IDENTITY } from './identity.ts';
import type { Primary } from './primary.ts';
import { openReplicaSession } from './replica-session.ts';

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
const COLUMNS = `
  left(pg_walfile_name(pg_current_wal_flush_lsn()), 8),
  CASE current_setting('synchronous_commit')
    WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END,
  pg_current_snapshot()`;

const READ_INDEX: Statement = { name: 'readIndex', text: `SELECT ${COLUMNS}` };
/** For a pooler, whose next session may be another cluster's. */
const READ_INDEX_OF_ANY: Statement = {
  name: 'readIndexOfAny',
  text: `SELECT ${COLUMNS}, ${IDENTITY}`,
};

/** Asks the primary for its read index: one statement for all who ask while the one before is in flight, sent after they did. */
export function createReadIndex({ pool, isPooled }: Primary): () => Promise<ReadIndex> {
  const askPrimary = isPooled ? askAny : askServer;
  const createBatcher = tracer.batches(batcherFactory());
  const askOnce = () => timeStatement(READ_INDEX.name, () => askPrimary(pool));
  const ask = createBatcher<undefined, ReadIndex>(async (requests) => {
    const index = await tracer.statement(READ_INDEX.name, askOnce);
    for (const { resolve } of requests) {
      resolve(index);
    }
  });
  return () => ask(undefined);
}

async function askServer(pool: Pool): Promise<ReadIndex> {
  const session = openReplicaSession(await pool.connect());
  try {
    const identity = await session.identity();
    const [row] = await session.query(READ_INDEX, []);
    return readIndexIn([...(row ?? []), identity]);
  } finally {
    session.release();
  }
}

async function askAny(pool: Pool): Promise<ReadIndex> {
  const [row] = await sendStatement(pool, READ_INDEX_OF_ANY, []);
  return readIndexIn(row ?? []);
}

function readIndexIn([timeline, position, snapshot, identity]: TextRow): ReadIndex {
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
