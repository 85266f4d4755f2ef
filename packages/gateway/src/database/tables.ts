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

/** The gateway's own tables that requests need, except the UNLOGGED one. */
const OWN_TABLES = GATEWAY_TABLES.filter((name) => name !== UNLOGGED_TABLE);

/** The gateway's own migrations. They have a separate history, which Prisma and earlier versions ignore. */
const OWN_MIGRATIONS = {
  folder: new URL('../../migrations/', import.meta.url),
  table: '_gateway_migrations',
};

/**
 * `hasEarlier` is true if an earlier version, whose gateway tables had no prefix, created the database with the gateway's or the
 * store's migrations.
 */
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

/** @throws StartupFailure if a model uses a table that earlier versions created for the gateway */
async function hasEarlierNames(session: Client, models: Models): Promise<boolean> {
  const { rows } = await session.query<{ isOurs: boolean; hasEarlier: boolean }>(NAMES);
  if (rows[0]?.hasEarlier !== true) {
    return false;
  }
  const [fault] = Object.values(models).flatMap(
    ({ name, table }) => tableFault(name, table, false) ?? [],
  );
  if (fault !== undefined && rows[0].isOurs) {
    throw new StartupFailure(`This database was created by an earlier version: ${fault}.`);
  }
  return fault === undefined;
}

/** Returns the tables that requests need, except the UNLOGGED one. */
function tablesOf(models: Models): string[] {
  return [...OWN_TABLES, ...Object.values(models).map(({ table }) => table)];
}

interface MigratedGateway {
  readonly serviceName: string;
  readonly prisma: { readonly models: Models; readonly migrations: URL };
}

/** Returns the options for migrating a gateway's database: the store's migrations come first, then the gateway's own. */
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
 * Returns a statement that fails where requests would fail. It refers to all tables and columns, because a failover may switch to
 * an empty or an older database, and a later version may have dropped a column. It is an INSERT, which a standby rejects even
 * without rows. The UNLOGGED table is only looked up, because a standby can't read it. So are tables that may be distributed,
 * because the loss of a worker must fail only requests for that worker's rows.
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
 * Inserts a document that no client requests, and rolls back. The document is so large that it needs a new page of the table, and
 * therefore disk space.
 */
export const WRITE_PROBE = `
  BEGIN;
  INSERT INTO _gateway_trusted_documents (hash, document) VALUES ('probe', repeat('x', 1900));
  ROLLBACK`;
