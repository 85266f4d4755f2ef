import { tableFault } from '@store-gateway/batched-prisma/gateway-tables';
import { CommandFailure } from '@store-gateway/command-line/command-failure';

const MODEL = /^[ \t]*model[ \t]+(\w+)[ \t]*\{(.*?)^[ \t]*\}/gms;
const TABLE = /@@map\(\s*(?:name\s*:\s*)?"([^"]*)"/;
const COMMENT = /^[ \t]*\/\/.*$/gm;

/**
 * Rejects a Prisma schema in which a model has a table of the gateway's.
 *
 * @throws CommandFailure that names the model
 */
export function refuseGatewayTables(schema: string): void {
  for (const [, model = '', body = ''] of schema.replaceAll(COMMENT, '').matchAll(MODEL)) {
    // A model that names a schema is not in the store's.
    const fault = body.includes('@@schema(')
      ? undefined
      : tableFault(model, TABLE.exec(body)?.[1] ?? model);
    if (fault !== undefined) {
      throw new CommandFailure(1, fault);
    }
  }
}
