/** The rules for a store's name, after which its folders, metrics and PostgreSQL role are named. */
export const STORE_NAME = {
  /** Lower-case words with hyphens. */
  form: /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
  /** Matches names that PostgreSQL reserves, or doesn't accept for roles. */
  notARole: /^(?:pg-.*|public|none)$/,
} as const;

/** Tables that a gateway adds to its store's schema. */
export const GATEWAY_TABLES: readonly string[] = [
  '_gateway_api_keys',
  '_gateway_audit_log',
  '_gateway_deprecated_calls',
  '_gateway_idempotency_keys',
  '_gateway_rate_limit_counts',
  '_gateway_secrets',
  '_gateway_trusted_documents',
];

const PREFIX = '_gateway_';
/** The only table that has always had the prefix. */
const SECRETS = '_gateway_secrets';

const RENAMED = GATEWAY_TABLES.filter((table) => table !== SECRETS).map((table) =>
  table.slice(PREFIX.length),
);

/** Matches the prefix of a renamed table, and of an index or a constraint whose name begins with the table's. */
const ADDED_PREFIX = new RegExp(`\\b${PREFIX}(?=(?:${RENAMED.join('|')})(?:_|\\b))`, 'g');

/** Rewrites SQL for a database of an earlier version, in which the gateway's tables have no prefix. */
export function withoutPrefix(sql: string): string {
  return sql.replaceAll(ADDED_PREFIX, '');
}

/** Matches the table of Prisma's migration history, and names with the prefix of the gateway's tables. */
const RESERVED = /^(?:_gateway_.*|_prisma_migrations)$/;

/**
 * Returns an error message if a store's model uses a table that belongs to the gateway; otherwise undefined.
 *
 * @param isPrefixed whether the gateway's own tables have their prefix
 */
export function tableFault(model: string, table: string, isPrefixed = true): string | undefined {
  const isTaken = !isPrefixed && RENAMED.includes(table);
  return isTaken || RESERVED.test(table)
    ? `the model ${model} can't use the table ${table}, which belongs to the gateway: map it to a different table with @@map`
    : undefined;
}
