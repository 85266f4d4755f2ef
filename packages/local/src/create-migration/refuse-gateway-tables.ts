import { tableFault } from '@store-gateway/ops';
import { CommandFailure } from '@store-gateway/ops/command-line';

const MODEL = /^[ \t]*model[ \t]+(\w+)[ \t]*\{(.*?)^[ \t]*\}/gms;
const MAPPED_NAME = /@@map\(\s*(?:name\s*:\s*)?"([^"]*)"/;
const COMMENT = /^[ \t]*\/\/.*$/gm;
/** The table of API keys, as a store's own migrations created it in earlier versions. */
const EARLIER_TABLE = /^CREATE TABLE "api_keys" \([^;]*"hash" BYTEA NOT NULL/m;

/** Whether the migrations of a store made the gateway's tables, which had no prefix then. */
export function madeGatewayTables(migrations: readonly { readonly script: string }[]): boolean {
  return migrations.some(({ script }) => EARLIER_TABLE.test(script));
}

/**
 * Rejects a Prisma schema in which a model has a table of the gateway's.
 *
 * @param isPrefixed whether the gateway's tables have their prefix in all databases of the store
 * @throws CommandFailure that names the model
 */
export function refuseGatewayTables(schema: string, isPrefixed: boolean): void {
  for (const [, model = '', body = ''] of schema.replaceAll(COMMENT, '').matchAll(MODEL)) {
    // A model that names a schema is not in the store's.
    const fault = body.includes('@@schema(')
      ? undefined
      : tableFault(model, MAPPED_NAME.exec(body)?.[1] ?? model, isPrefixed);
    if (fault !== undefined) {
      throw new CommandFailure(1, fault);
    }
  }
}
