import type { Statement } from '@gateway/batched-prisma/statement';

/**
 * Fails where requests would: a failover may lead to an empty or an older database. A standby rejects an INSERT, even of no
 * rows; the unlogged table is only looked up, because reading it there is another error.
 */
export const PROBE: Statement = {
  name: 'ping',
  text: `
    INSERT INTO pets SELECT pets.*
    FROM pets, api_keys, idempotency_keys, deprecated_calls, trusted_documents
    WHERE 'rate_limit_counts'::regclass IS NOT NULL LIMIT 0`,
};

/**
 * Inserts an animal with an id that none ever gets, and rolls back. It is so large that it needs a new page of the table,
 * and so space on the disk.
 */
export const WRITE_PROBE = `
  BEGIN;
  INSERT INTO pets (id, name, category_id, status)
  VALUES (9223372036854775807, repeat('x', 1900), 0, 'sold');
  ROLLBACK`;
