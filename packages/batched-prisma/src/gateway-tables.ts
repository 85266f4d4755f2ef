/** Tables that a gateway adds to its store's schema. Statements of this package use those of idempotency keys and the audit log. */
export const GATEWAY_TABLES: readonly string[] = [
  '_gateway_api_keys',
  '_gateway_audit_log',
  '_gateway_deprecated_calls',
  '_gateway_idempotency_keys',
  '_gateway_rate_limit_counts',
  '_gateway_secrets',
  '_gateway_trusted_documents',
];

/** The names above, and those of indexes and constraints that begin with one, which databases made by earlier versions have without the prefix. */
const UNPREFIXED =
  /\b_gateway_(?=(?:api_keys|audit_log|deprecated_calls|idempotency_keys|rate_limit_counts|trusted_documents)(?:_|\b))/g;

/** The same SQL for a database made by an earlier version. */
export function withoutPrefix(sql: string): string {
  return sql.replaceAll(UNPREFIXED, '');
}

/** Prisma's migration history, and the prefix of the gateway's tables. */
const RESERVED = /^(?:_gateway_.*|_prisma_migrations)$/;

/**
 * Returns a sentence if the table of a store's model belongs to the gateway; otherwise undefined.
 *
 * @param isPrefixed whether the gateway's own tables have their prefix
 */
export function tableFault(model: string, table: string, isPrefixed = true): string | undefined {
  const isTaken = !isPrefixed && GATEWAY_TABLES.map(withoutPrefix).includes(table);
  return isTaken || RESERVED.test(table)
    ? `the model ${model} can't use the table ${table}, which belongs to the gateway: map it to another table with @@map`
    : undefined;
}
