import { backupCommand } from '../../packages/gateway/src/commands/backup.ts';
import { deprecationsCommand } from '../../packages/gateway/src/commands/deprecations.ts';
import { documentsCommand } from '../../packages/gateway/src/commands/documents.ts';
import { keysCommand } from '../../packages/gateway/src/commands/keys.ts';
import { migrateCommand } from '../../packages/gateway/src/commands/migrate.ts';
import {
  generateApiKey as generate,
  isApiKey as isKey,
} from '../../packages/gateway/src/auth/api-key.ts';
import {
  startDatabase as start,
  type DatabaseConfig,
  type StartOptions,
} from '../../packages/gateway/src/database/start.ts';
import { embeddedNames } from '../../packages/gateway/src/database/application-name.ts';
import {
  openDatabase as open,
  type DatabaseOptions,
  type Database as DatabaseOf,
} from '../../packages/gateway/src/database/client.ts';
import { migrationsOf } from '../../packages/gateway/src/database/migrations.ts';
import { createStore } from '../../packages/gateway/src/store.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import { gateway } from '../../src/gateway.ts';
import { seed as seedOf } from '../../src/seed/seed.ts';

/** Schema and routes of the animals, as they are served. */
export const store = createStore(await gateway.load());
export const { schema, rest } = store;

export type Database = DatabaseOf<PrismaClient>;

/** The database of a store of animals. */
export function openDatabase(url: string, options?: DatabaseOptions): Database {
  return open(gateway, url, options);
}

/** The same, migrated and connected. */
export const startDatabase = (config: DatabaseConfig, options?: StartOptions) =>
  start(gateway, config, options);

/** A key as those of the store. */
export const generateApiKey = (): string => generate(gateway.access.keyPrefix);
export const isApiKey = (text: string): boolean => isKey(text, gateway.access.keyPrefix);

export const EMBEDDED = embeddedNames(gateway);
export const MIGRATIONS = migrationsOf(gateway);

export const keys = keysCommand(gateway);
export const documents = documentsCommand(gateway);
export const deprecations = deprecationsCommand(gateway);
export const migrate = migrateCommand(gateway);
export const backup = backupCommand(gateway);
export const seed = seedOf(gateway);
