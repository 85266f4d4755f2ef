import {
  generateApiKey as generate,
  isApiKey as isKey,
} from '../../packages/api-keys/src/api-key.ts';
import {
  openDatabase as open,
  type Database as DatabaseOf,
  type DatabaseOptions,
} from '../../packages/gateway/src/database/client.ts';
import { migrationsOf } from '../../packages/gateway/src/database/tables.ts';
import {
  startDatabase as start,
  type DatabaseConfig,
  type StartOptions,
} from '../../packages/gateway/src/database/start.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import { gateway } from '../../src/gateway.ts';

export type Database = DatabaseOf<PrismaClient>;

/** The database of a store of animals. */
export function openDatabase(url: string, options?: DatabaseOptions): Database {
  return open(gateway, url, options);
}

const UNSET = {
  databaseUrl: undefined,
  dataDirectory: '',
  databaseDirectUrl: undefined,
  migrate: true,
};

/** The same, migrated and connected. */
export const startDatabase = (config: Partial<DatabaseConfig>, options: StartOptions = {}) =>
  start(gateway, { ...UNSET, ...config }, options);

/** A key as those of the store. */
export const generateApiKey = (): string => generate(gateway.access.keyPrefix);
export const isApiKey = (text: string): boolean => isKey(text, gateway.access.keyPrefix);

export const EMBEDDED = gateway.cluster;
export const MIGRATIONS = migrationsOf(gateway);
