import { applicationName } from './application-name.ts';

export const MIGRATIONS = {
  folder: new URL('../../prisma/migrations/', import.meta.url),
  tables: ['api_keys', 'pets'],
  applicationName: applicationName('migrate'),
} as const;
