-- What a write under a key was first answered with, if that depends on other rows, which may have changed since: behind the time
-- that the key was taken at, so that what was kept for an earlier write is never taken for it.
ALTER TABLE "_gateway_idempotency_keys" ADD COLUMN "response" TEXT;
