-- A new database gets the gateway's tables by the gateway's migrations, which come after these. One that an earlier version
-- has made keeps them.
DO $$
BEGIN
  IF to_regclass('_gateway_migrations') IS NULL AND NOT EXISTS (SELECT FROM "api_keys") THEN
    DROP TABLE "deprecated_calls", "trusted_documents", "idempotency_keys", "rate_limit_counts", "api_keys";
    DROP FUNCTION "sync_idempotency_key";
  END IF;
END $$;
