import type { Gateway } from '../gateway.ts';
import { applicationName } from './application-name.ts';

/** What migrates the database of a gateway. */
export function migrationsOf(gateway: Gateway) {
  const { models, migrations: folder } = gateway.prisma;
  return {
    folder,
    tables: ['api_keys', ...Object.values(models).map(({ table }) => table)],
    applicationName: applicationName(gateway, 'migrate'),
  };
}
