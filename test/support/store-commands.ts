import { backupCommand } from '../../packages/gateway/src/commands/backup.ts';
import { openapiCommand, schemaCommand } from '../../packages/gateway/src/commands/contracts.ts';
import { exportCommand } from '../../packages/gateway/src/commands/export.ts';
import { deprecationsCommand } from '../../packages/gateway/src/commands/deprecations.ts';
import { documentsCommand } from '../../packages/gateway/src/commands/documents.ts';
import { keysCommand } from '../../packages/gateway/src/commands/keys.ts';
import { migrateCommand } from '../../packages/gateway/src/commands/migrate.ts';
import { gateway } from '../../src/gateway.ts';
import { seed as seedOf } from '../../src/seed/seed.ts';

export const keys = keysCommand(gateway);
export const documents = documentsCommand(gateway);
export const deprecations = deprecationsCommand(gateway);
export const migrate = migrateCommand(gateway);
export const backup = backupCommand(gateway);
export const exported = exportCommand(gateway);
export const openapi = openapiCommand(gateway);
export const schema = schemaCommand(gateway);
export const seed = seedOf(gateway);
