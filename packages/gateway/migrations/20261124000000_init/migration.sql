-- The gateway's own tables. Stores of versions before have them by migrations of their own.

CREATE TABLE IF NOT EXISTS "_gateway_api_keys" (
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    -- SHA-256 of the whole key. The key itself is nowhere but with its owner.
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- From this moment on the key is refused; null is never.
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "_gateway_api_keys_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX IF NOT EXISTS "_gateway_api_keys_hash_key" ON "_gateway_api_keys"("hash");

-- Makes a create happen once, however often it is asked for: written in the transaction that creates the row, and
-- removed after a day.
CREATE TABLE IF NOT EXISTS "_gateway_idempotency_keys" (
    -- The API key: callers don't meet each other's names.
    "key_id" BIGINT NOT NULL,
    -- The name that the caller gave.
    "name" TEXT NOT NULL,
    -- What was created: the model's name, the columns as they were asked for, which a later request is compared with,
    -- and the row as it was first answered.
    "model" TEXT,
    "request" JSONB,
    "row" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "_gateway_idempotency_keys_pkey" PRIMARY KEY ("key_id","name"),
    CONSTRAINT "_gateway_idempotency_keys_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "_gateway_api_keys"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE INDEX IF NOT EXISTS "_gateway_idempotency_keys_created_at_idx" ON "_gateway_idempotency_keys"("created_at");

-- How often a key has called a deprecated field, so that its owner can be told in time.
CREATE TABLE IF NOT EXISTS "_gateway_deprecated_calls" (
    "key_id" BIGINT NOT NULL,
    -- The field's name in the schema: "pet".
    "field" TEXT NOT NULL,
    "calls" BIGINT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "_gateway_deprecated_calls_pkey" PRIMARY KEY ("key_id","field"),
    CONSTRAINT "_gateway_deprecated_calls_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "_gateway_api_keys"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- What has been used of a rate limit, by the requests of all processes. UNLOGGED: a crash of the database empties it, and
-- nothing but a limit is lost.
CREATE UNLOGGED TABLE IF NOT EXISTS "_gateway_rate_limit_counts" (
    -- Which limit.
    "policy" TEXT NOT NULL,
    -- Of whom: a key's id, or a client's address.
    "subject" TEXT NOT NULL,
    -- Requests that had not leaked away yet at that time.
    "level" DOUBLE PRECISION NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "_gateway_rate_limit_counts_pkey" PRIMARY KEY ("policy","subject")
);

-- GraphQL documents that frontends have been built with.
CREATE TABLE IF NOT EXISTS "_gateway_trusted_documents" (
    -- SHA-256 of the document, in hexadecimal digits: what a client sends in its place.
    "hash" TEXT NOT NULL,
    "document" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "_gateway_trusted_documents_pkey" PRIMARY KEY ("hash")
);
