/**
 * Tables that a gateway has beside those of its store, in the store's schema. Statements of this package use
 * `idempotency_keys` and `audit_log`.
 */
export const GATEWAY_TABLES: readonly string[] = [
  'api_keys',
  'audit_log',
  'deprecated_calls',
  'idempotency_keys',
  'rate_limit_counts',
  'trusted_documents',
];

/** Prisma's history of migrations, and names of later versions. */
const RESERVED = /^(?:_gateway_.*|_prisma_migrations)$/;

/** What is wrong with the table of a store's model, whose rows would be the gateway's; undefined if nothing is. */
export function tableFault(model: string, table: string): string | undefined {
  return GATEWAY_TABLES.includes(table) || RESERVED.test(table)
    ? `the model ${model} can't have the table ${table}, which is the gateway's own: map it to another one by @@map`
    : undefined;
}
