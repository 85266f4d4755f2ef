import { log, outsideRequest } from '@store-gateway/ops';
import { isUnplanned } from '@store-gateway/postgres';
import type { Pool } from 'pg';

/** Each has a row if the database has Citus, and Citus has nodes. */
const LOOKS = [
  "SELECT WHERE to_regclass('pg_catalog.pg_dist_node') IS NOT NULL",
  'SELECT FROM pg_catalog.pg_dist_node LIMIT 1',
];

/** After a reconnection, so that it finds an idle connection. */
const DELAY_MS = 1000;

/**
 * Notices that a database without Citus has got it: after its server has restarted, or when it can't plan a statement any more.
 *
 * @param pool looks, and reconnects
 * @param isSharded whether the database has it already
 * @param onFound called when it is noticed
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
  /** The next failure looks again if this one can't. */
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
