-- The tables of the gateway may be there, made by migrations of a store of an earlier version. Any others of their names are
-- not taken over.
DO $$
DECLARE
    other TEXT;
BEGIN
    SELECT own."table" INTO other
    FROM (VALUES
        ('api_keys', 'hash', 'bytea'),
        ('idempotency_keys', 'key_id', 'bigint'),
        ('deprecated_calls', 'key_id', 'bigint'),
        ('rate_limit_counts', 'policy', 'text'),
        ('trusted_documents', 'document', 'text')
    ) AS own ("table", "column", "type")
    WHERE to_regclass(quote_ident(own."table")) IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM pg_attribute
            WHERE attrelid = to_regclass(quote_ident(own."table"))
                AND attname = own."column" AND atttypid = own."type"::regtype
        )
    LIMIT 1;
    IF other IS NOT NULL THEN
        RAISE EXCEPTION 'another table has the name %, which the gateway needs for its own: rename it with its constraints and indexes', other;
    END IF;
END $$;
