-- A store may authenticate callers that have no API key: their ids are below 0.
ALTER TABLE "_gateway_idempotency_keys" DROP CONSTRAINT IF EXISTS "_gateway_idempotency_keys_key_id_fkey";
ALTER TABLE "_gateway_deprecated_calls" DROP CONSTRAINT IF EXISTS "_gateway_deprecated_calls_key_id_fkey";
