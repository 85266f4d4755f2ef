/** Tables that a gateway adds to its store's schema. Statements of this package use `idempotency_keys` and `audit_log`. */
export const GATEWAY_TABLES: readonly string[] = [
  '_gateway_secrets',
  'api_keys',
  'audit_log',
  'deprecated_calls',
  'idempotency_keys',
  'rate_limit_counts',
  'trusted_documents',
];

/** Prisma's migration history, and the prefix of the gateway's newer tables. */
const RESERVED = /^(?:_gateway_.*|_prisma_migrations)$/;

/** Returns a sentence if the table of a store's model belongs to the gateway; otherwise undefined. */
export function tableFault(model: string, table: string): string | undefined {
  return GATEWAY_TABLES.includes(table) || RESERVED.test(table)
    ? `the model ${model} can't use the table ${table}, which belongs to the gateway: map it to another table with @@map`
    : undefined;
}
