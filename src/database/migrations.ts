import { applicationName } from './application-name.ts';

/** What of the store migrations are applied by. */
export const MIGRATIONS = {
  folder: new URL('../../prisma/migrations/', import.meta.url),
  tables: ['api_keys', 'pets'],
  applicationName: applicationName('migrate'),
} as const;
