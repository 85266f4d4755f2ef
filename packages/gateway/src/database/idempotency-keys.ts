import type { Pool } from 'pg';
import { runStatement } from '@gateway/postgres/statement';

/** Deleted in a tenth of the statement timeout. */
const BATCH_SIZE = 1000;

const FORGET_OLD = {
  name: 'forget-idempotency-keys',
  text: `
    WITH old AS (
      SELECT key_id, name FROM idempotency_keys
      WHERE created_at < now() - interval '1 day' ORDER BY created_at LIMIT ${BATCH_SIZE}
      FOR UPDATE SKIP LOCKED
    )
    DELETE FROM idempotency_keys USING old
    WHERE (idempotency_keys.key_id, idempotency_keys.name) = (old.key_id, old.name)
    RETURNING true`,
};

export function createIdempotencyKeyQueries(pool: Pool) {
  return {
    /** Deletes keys older than a day, which statements ignore (packages/batched-prisma). */
    forgetOld: async (): Promise<void> => {
      let removed;
      do {
        removed = (await runStatement(pool, FORGET_OLD, [])).length;
      } while (removed === BATCH_SIZE);
    },
  };
}
