-- The gateway's tables may exist already, created by migrations of a store of an earlier version. Other applications' tables
-- with the same names are not adopted.
DO $$
DECLARE
    other TEXT;
BEGIN
    SELECT own."table" INTO other
    FROM (VALUES
        ('_gateway_api_keys', 'hash', 'bytea'),
        ('_gateway_idempotency_keys', 'key_id', 'bigint'),
        ('_gateway_deprecated_calls', 'key_id', 'bigint'),
        ('_gateway_rate_limit_counts', 'policy', 'text'),
        ('_gateway_trusted_documents', 'document', 'text')
    ) AS own ("table", "column", "type")
    WHERE to_regclass(quote_ident(own."table")) IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM pg_attribute
            WHERE attrelid = to_regclass(quote_ident(own."table"))
                AND attname = own."column" AND atttypid = own."type"::regtype
        )
    LIMIT 1;
    IF other IS NOT NULL THEN
        RAISE EXCEPTION 'a table named % exists that is not the gateway''s: rename it, its constraints and its indexes', other;
    END IF;
END $$;
