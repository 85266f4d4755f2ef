import { log, outsideRequest } from '@store-gateway/ops';
import { isUnplanned } from '@store-gateway/postgres';
import type { Pool } from 'pg';

/** Each returns a row if the database has Citus with nodes. */
const LOOKS = [
  "SELECT WHERE to_regclass('pg_catalog.pg_dist_node') IS NOT NULL",
  'SELECT FROM pg_catalog.pg_dist_node LIMIT 1',
];

/** Milliseconds after a reconnection, by when a connection is idle. */
const DELAY_MS = 1000;

/**
 * Detects that Citus was added to the database: after its server has restarted, or when it can't plan a statement any more.
 *
 * @param pool queried, and watched for reconnections
 * @param isSharded whether the database has it already
 * @param onFound called when Citus is detected
 */
export function watchSharding(pool: Pool, isSharded: boolean, onFound: () => void) {
  let hasHappened = isSharded;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    for (const text of LOOKS) {
      if ((await pool.query(text)).rowCount === 0) return;
    }
    hasHappened = true;
    log.warn(
      'Citus was added to the database after this process started; restart the process when convenient',
    );
    onFound();
  };
  /** If the check fails, the next failure of a statement repeats it. */
  const lookOnce = (): Promise<void> => {
    looking ??= outsideRequest(look)
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };

  let isLost = false;
  pool.on('error', () => {
    isLost = true;
  });
  pool.on('connect', () => {
    if (isLost && !hasHappened) {
      outsideRequest(() => setTimeout(() => void lookOnce(), DELAY_MS).unref());
    }
    isLost = false;
  });
  return {
    hasHappened: () => hasHappened,
    isCauseOf: async (error: unknown): Promise<boolean> => {
      if (!isUnplanned(error)) return false;
      if (!hasHappened) await lookOnce();
      return hasHappened;
    },
  };
}
