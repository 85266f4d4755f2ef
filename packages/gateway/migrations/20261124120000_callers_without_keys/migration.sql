-- A store may authenticate callers that have no API key: their ids are below 0.
ALTER TABLE "idempotency_keys" DROP CONSTRAINT IF EXISTS "idempotency_keys_key_id_fkey";
ALTER TABLE "deprecated_calls" DROP CONSTRAINT IF EXISTS "deprecated_calls_key_id_fkey";
