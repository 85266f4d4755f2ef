import type { Pool } from 'pg';
import { runStatement } from '@gateway/postgres/statement';

/** Few enough to be removed in a tenth of the time that a statement may take. */
const AT_MOST = 1000;

const FORGET_OLD = {
  name: 'forget-idempotency-keys',
  text: `
    WITH old AS (
      SELECT key_id, name FROM idempotency_keys
      WHERE created_at < now() - interval '1 day' ORDER BY created_at LIMIT ${AT_MOST}
      FOR UPDATE SKIP LOCKED
    )
    DELETE FROM idempotency_keys USING old
    WHERE (idempotency_keys.key_id, idempotency_keys.name) = (old.key_id, old.name)
    RETURNING true`,
};

export function createIdempotencyKeyQueries(pool: Pool) {
  return {
    /** Removes those that are over a day old: they count for nothing any more (packages/batched-prisma). */
    forgetOld: async (): Promise<void> => {
      let removed;
      do {
        removed = (await runStatement(pool, FORGET_OLD, [])).length;
      } while (removed === AT_MOST);
    },
  };
}
