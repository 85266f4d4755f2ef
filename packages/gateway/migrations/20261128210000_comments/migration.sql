-- Describes the gateway's tables to anyone who inspects the database.
COMMENT ON TABLE "_gateway_api_keys" IS 'API keys: their hashes, and what each may do';
COMMENT ON TABLE "_gateway_audit_log" IS 'Who has changed which row';
COMMENT ON TABLE "_gateway_deprecated_calls" IS 'How often each API key has used what is deprecated';
COMMENT ON TABLE "_gateway_idempotency_keys" IS 'What was written under an Idempotency-Key, for a day';
COMMENT ON TABLE "_gateway_rate_limit_counts" IS 'What is used of each rate limit';
COMMENT ON TABLE "_gateway_secrets" IS 'Secrets that all processes share';
COMMENT ON TABLE "_gateway_trusted_documents" IS 'GraphQL documents by their hashes';
