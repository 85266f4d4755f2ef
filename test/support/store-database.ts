import {
  generateApiKey as generate,
  isApiKey as isKey,
} from '../../packages/access/src/keys/api-keys.ts';
import {
  type Database as DatabaseOf,
  type DatabaseOptions,
  openDatabase as open,
} from '../../packages/gateway/src/database/client.ts';
import { migrationsOf } from '../../packages/gateway/src/database/tables.ts';
import {
  startDatabase as start,
  type DatabaseConfig,
  type StartOptions,
} from '../../packages/gateway/src/database/start.ts';
import type { DatabaseTimeouts } from '@store-gateway/postgres';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import { gateway } from '../../src/gateway.ts';

export type Database = DatabaseOf<PrismaClient>;

/** Longer than a busy machine takes. Only tests that concern time may use shorter timeouts. */
export const PATIENT_TIMEOUTS: DatabaseTimeouts = { connection: 20_000, statement: 20_000 };

/** Opens an animal store's database, by default with long timeouts. */
export function openDatabase(url: string, options?: DatabaseOptions): Database {
  return open(gateway, url, { timeouts: PATIENT_TIMEOUTS, ...options });
}

const UNSET = {
  databaseUrl: undefined,
  dataDirectory: '',
  databaseDirectUrl: undefined,
  migrate: true,
};

/** Starts an animal store's database: migrated and connected. */
export const startDatabase = (config: Partial<DatabaseConfig>, options: StartOptions = {}) =>
  start(gateway, { ...UNSET, ...config }, options);

/** Generates a key with the store's prefix. */
export const generateApiKey = (): string => generate(gateway.access.keyPrefix);
export const isApiKey = (text: string): boolean => isKey(text, gateway.access.keyPrefix);

export const EMBEDDED = gateway.cluster;
export const MIGRATIONS = migrationsOf(gateway);
