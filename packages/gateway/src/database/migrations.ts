import type { Gateway } from '../gateway.ts';
import { applicationName } from './application-name.ts';
import { OWN_TABLES } from './own-tables.ts';

/** The gateway's own, in a history of their own, which neither Prisma nor versions before it look at. */
const OWN_MIGRATIONS = {
  folder: new URL('../../migrations/', import.meta.url),
  table: '_gateway_migrations',
};

/** What migrates the database of a gateway: the store's migrations, and then its own. */
export function migrationsOf(gateway: Gateway) {
  const { models, migrations } = gateway.prisma;
  return {
    // Stores of versions before create the gateway's tables in migrations of theirs.
    sources: [{ folder: migrations, table: '_prisma_migrations' }, OWN_MIGRATIONS],
    tables: [...OWN_TABLES, ...Object.values(models).map(({ table }) => table)],
    applicationName: applicationName(gateway, 'migrate'),
  };
}
