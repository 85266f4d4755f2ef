import { auditCommand } from '../../packages/gateway/src/commands/audit.ts';
import {
  backupCommand,
  distributeCommand,
  exportCommand,
  migrateCommand,
} from '../../packages/gateway/src/commands/database.ts';
import { openapiCommand, schemaCommand } from '../../packages/gateway/src/commands/contracts.ts';
import { deprecationsCommand } from '../../packages/gateway/src/commands/deprecations.ts';
import { documentsCommand } from '../../packages/gateway/src/commands/documents.ts';
import { keysCommand } from '../../packages/gateway/src/commands/keys.ts';
import { gateway } from '../../src/gateway.ts';
import { seed as seedOf } from '../../src/seed/seed.ts';

export const audit = await auditCommand(gateway);
export const keys = keysCommand(gateway);
export const documents = documentsCommand(gateway);
export const deprecations = deprecationsCommand(gateway);
export const migrate = migrateCommand(gateway);
export const distribute = distributeCommand(gateway);
export const backup = backupCommand(gateway);
export const exported = exportCommand(gateway);
export const openapi = openapiCommand(gateway);
export const schema = schemaCommand(gateway);
export const seed = seedOf(gateway);
