/** The environment variables that src/config.ts reads. */
export const VARIABLES: ReadonlySet<string> = new Set([
  'PORT',
  'HOST',
  'DATABASE_URL',
  'DATA_DIR',
  'POOL_SIZE',
  'METRICS_PORT',
  'METRICS_HOST',
  'LOG_LEVEL',
  'MAX_CONNECTIONS',
  'MAX_OPEN_REQUESTS',
  'RATE_LIMIT',
  'FAILED_AUTH_LIMIT',
  'TRUSTED_PROXIES',
  'CORS_ORIGINS',
  'GRAPHQL_INTROSPECTION',
  'GRAPHQL_TRUSTED_DOCUMENTS',
]);
