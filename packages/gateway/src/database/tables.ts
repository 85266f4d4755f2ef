import { GATEWAY_TABLES } from '@store-gateway/batched-prisma/gateway-tables';
import type { Models } from '@store-gateway/batched-prisma/model';
import type { Statement } from '@store-gateway/batched-prisma/statement';
import { escapeIdentifier, escapeLiteral } from 'pg';
import type { Gateway } from '../gateway.ts';

const UNLOGGED_TABLE = 'rate_limit_counts';

/** The gateway's own tables that requests need, except the one that is UNLOGGED. */
const OWN_TABLES = GATEWAY_TABLES.filter((name) => name !== UNLOGGED_TABLE);

/** The gateway's own migrations, with a history of their own, which Prisma and earlier versions ignore. */
const OWN_MIGRATIONS = {
  folder: new URL('../../migrations/', import.meta.url),
  table: '_gateway_migrations',
};

/** All that requests need but that one. */
function tablesOf(models: Models): string[] {
  return [...OWN_TABLES, ...Object.values(models).map(({ table }) => table)];
}

/** What migrates the database of a gateway: the store's migrations, and then its own. */
export function migrationsOf({ serviceName, prisma }: Gateway) {
  return {
    // Stores made by earlier versions created the gateway's tables in their own migrations.
    sources: [{ folder: prisma.migrations, table: '_prisma_migrations' }, OWN_MIGRATIONS],
    tables: tablesOf(prisma.models),
    applicationName: `${serviceName} migrate`,
  };
}

/**
 * Fails where requests would: a failover may lead to an empty or an older database, and a later version may have dropped a
 * column. A standby rejects an INSERT, even of no rows; the unlogged table is only looked up, because reading it there is
 * another error. So are those that may be distributed: a server that is lost takes only its own rows along.
 */
export function probeOf(models: Models, isSharded: boolean): Statement {
  const read = isSharded ? OWN_TABLES : tablesOf(models);
  const lookedUp = [UNLOGGED_TABLE, ...tablesOf(models).filter((name) => !read.includes(name))];
  const areThere = lookedUp.map(
    (name) => `${escapeLiteral(escapeIdentifier(name))}::regclass IS NOT NULL`,
  );
  const named = Object.values(models)
    .filter(({ table }) => read.includes(table))
    .flatMap(({ table, columns }) =>
      columns.map(({ column }) => `${escapeIdentifier(table)}.${escapeIdentifier(column)} IS NULL`),
    );
  return {
    name: 'ping',
    // The columns are only named: no row is read.
    text: `
      INSERT INTO trusted_documents SELECT trusted_documents.*
      FROM ${read.map(escapeIdentifier).join(', ')}
      WHERE ${areThere.join(' AND ')} AND coalesce(${['true', ...named].join(', ')}) LIMIT 0`,
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
