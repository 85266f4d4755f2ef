import type { Pool } from 'pg';
import { asUnavailable } from './failure.ts';
import { runStatement } from './statement.ts';
import { saysNoWrites } from './write-refusals.ts';

/**
 * Adds no rows: where none can be added, as on a standby, it is refused nevertheless. It names the tables that requests
 * need, and reads none of them. A database that answers, but isn't the one that was migrated at the start, has to be found
 * out: a failover may lead to an empty or an older one. The unlogged table is named otherwise, for a standby has
 * another error for it.
 */
const PING = {
  name: 'ping',
  text: `
    INSERT INTO pets SELECT pets.*
    FROM pets, api_keys, idempotency_keys, deprecated_calls, trusted_documents
    WHERE 'rate_limit_counts'::regclass IS NOT NULL LIMIT 0`,
};

/**
 * Adds an animal, under an id that none ever gets, and takes it back. It is so large that it needs a new page of the
 * table: what room is left in the others says nothing of the disk.
 */
const ADD_IN_VAIN = `
  BEGIN;
  INSERT INTO pets (id, name, category_id, status)
  VALUES (9223372036854775807, repeat('x', 1900), 0, 'sold');
  ROLLBACK`;

/**
 * Whether requests can be served, creates included. A disk can't be asked whether it is full, nor an old session whether
 * new ones are read-only: once a write was refused, the next asks add something in vain, until that works. Writes that
 * hang, as those do that wait for a lost standby, say nothing of reads: so all else is asked on a connection for reading.
 */
export function createPing({
  readPool,
  writePool,
}: Readonly<Record<'readPool' | 'writePool', Pool>>): () => Promise<void> {
  let wasRefused = false;
  // With the error, if there was one, of what the connection was used for.
  writePool.on('release', (error: unknown) => {
    wasRefused ||= saysNoWrites(error);
  });
  return async () => {
    await runStatement(readPool, PING, []);
    if (wasRefused) {
      await writePool.query(ADD_IN_VAIN).catch((error: unknown) => {
        throw asUnavailable(error);
      });
      wasRefused = false;
    }
  };
}
