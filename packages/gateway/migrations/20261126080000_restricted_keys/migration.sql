-- What a key is restricted to. Of a restricted one the hash has the byte 1 in front, so that processes of versions
-- before, which would let it do everything, don't find it.
ALTER TABLE "_gateway_api_keys"
    -- The only scopes that it has; null is all.
    ADD COLUMN IF NOT EXISTS "scopes" TEXT[],
    -- The only origins whose pages may use it; null is any client.
    ADD COLUMN IF NOT EXISTS "origins" TEXT[],
    -- Whether it may only send trusted documents.
    ADD COLUMN IF NOT EXISTS "documents_only" BOOLEAN NOT NULL DEFAULT false;
