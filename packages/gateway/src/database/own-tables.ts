/** The gateway's own tables that requests need, but for `rate_limit_counts`, which is UNLOGGED. */
export const OWN_TABLES = ['api_keys', 'idempotency_keys', 'deprecated_calls', 'trusted_documents'];
