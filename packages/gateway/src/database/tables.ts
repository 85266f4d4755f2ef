import type { Models } from '@store-gateway/data';
import {
  StartupFailure,
  GATEWAY_TABLES,
  tableFault,
  withoutPrefix,
  type Statement,
} from '@store-gateway/ops';
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';

const UNLOGGED_TABLE = '_gateway_rate_limit_counts';

/** The gateway's own tables that requests need, except the one that is UNLOGGED. */
const OWN_TABLES = GATEWAY_TABLES.filter((name) => name !== UNLOGGED_TABLE);

/** The gateway's own migrations, with a history of their own, which Prisma and earlier versions ignore. */
const OWN_MIGRATIONS = {
  folder: new URL('../../migrations/', import.meta.url),
  table: '_gateway_migrations',
};

/** `hasEarlier` if a version has made the database whose tables had no prefix, by its own migrations or by those of its store. */
const NAMES = `
  SELECT to_regclass(quote_ident(current_schema()) || '._gateway_migrations') IS NOT NULL AS "isOurs",
    to_regclass(quote_ident(current_schema()) || '._gateway_api_keys') IS NULL AND (
      SELECT count(*) = 6 FROM pg_attribute
      WHERE attrelid = to_regclass(quote_ident(current_schema()) || '.api_keys') AND (attname, atttypid) IN (
        ('id', 'bigint'::regtype), ('name', 'text'::regtype), ('hash', 'bytea'::regtype),
        ('created_at', 'timestamptz'::regtype), ('expires_at', 'timestamptz'::regtype),
        ('revoked_at', 'timestamptz'::regtype)
      )
    ) AS "hasEarlier"`;

/** @throws StartupFailure if a model has such a table */
async function hasEarlierNames(session: Client, models: Models): Promise<boolean> {
  const { rows } = await session.query<{ isOurs: boolean; hasEarlier: boolean }>(NAMES);
  if (rows[0]?.hasEarlier !== true) {
    return false;
  }
  const [fault] = Object.values(models).flatMap(
    ({ name, table }) => tableFault(name, table, false) ?? [],
  );
  if (fault !== undefined && rows[0].isOurs) {
    throw new StartupFailure(`This database was made by an earlier version: ${fault}.`);
  }
  return fault === undefined;
}

/** The tables that requests need, except the UNLOGGED one. */
function tablesOf(models: Models): string[] {
  return [...OWN_TABLES, ...Object.values(models).map(({ table }) => table)];
}

interface MigratedGateway {
  readonly serviceName: string;
  readonly prisma: { readonly models: Models; readonly migrations: URL };
}

/** What migrates the database of a gateway: the store's migrations, and then its own. */
export function migrationsOf({ serviceName, prisma }: MigratedGateway) {
  return {
    // Stores made by earlier versions created the gateway's tables in their own migrations.
    sources: [
      { folder: prisma.migrations, table: '_prisma_migrations' },
      {
        ...OWN_MIGRATIONS,
        earlier: {
          inSql: withoutPrefix,
          areIn: (session: Client) => hasEarlierNames(session, prisma.models),
        },
      },
    ],
    tables: [OWN_MIGRATIONS.table, ...Object.values(prisma.models).map(({ table }) => table)],
    applicationName: `${serviceName} migrate`,
  };
}

/**
 * Fails where requests would: a failover may lead to an empty or an older database, and a later version may have dropped a
 * column. A standby rejects an INSERT, even of no rows; the unlogged table is only looked up, because reading it there is
 * another error. So are tables that may be distributed: a lost worker must fail only requests for its own rows.
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
      INSERT INTO _gateway_trusted_documents SELECT _gateway_trusted_documents.*
      FROM ${read.map(escapeIdentifier).join(', ')}
      WHERE ${areThere.join(' AND ')} AND coalesce(${['true', ...named].join(', ')}) LIMIT 0`,
  };
}

/**
 * Stores a document that no client requests, and rolls back. It is so large that it needs a new page of the table, and
 * so space on the disk.
 */
export const WRITE_PROBE = `
  BEGIN;
  INSERT INTO _gateway_trusted_documents (hash, document) VALUES ('probe', repeat('x', 1900));
  ROLLBACK`;
