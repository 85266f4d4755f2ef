import type { Models } from '@gateway/batched-prisma/model';
import type { Statement } from '@gateway/batched-prisma/statement';
import { escapeIdentifier } from 'pg';
import { OWN_TABLES } from './own-tables.ts';

/**
 * Fails where requests would: a failover may lead to an empty or an older database. A standby rejects an INSERT, even of no
 * rows; the unlogged table is only looked up, because reading it there is another error.
 */
export function probeOf(models: Models): Statement {
  const unlogged = "'rate_limit_counts'::regclass IS NOT NULL";
  const tables = [...OWN_TABLES, ...Object.values(models).map(({ table }) => table)];
  return {
    name: 'ping',
    text: `
      INSERT INTO trusted_documents SELECT trusted_documents.*
      FROM ${tables.map((table) => escapeIdentifier(table)).join(', ')}
      WHERE ${unlogged} LIMIT 0`,
  };
}

/**
 * Stores a document that none is ever asked for, and rolls back. It is so large that it needs a new page of the table, and
 * so space on the disk.
 */
export const WRITE_PROBE = `
  BEGIN;
  INSERT INTO trusted_documents (hash, document) VALUES ('probe', repeat('x', 1900));
  ROLLBACK`;
