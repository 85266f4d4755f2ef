-- Who has changed which row of the types that have `audit: true`: written in the transaction of the change, and never
-- changed or removed by the gateway.
CREATE TABLE "_gateway_audit_log" (
    "id" BIGINT GENERATED ALWAYS AS IDENTITY,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- As logs name it: the id of an API key, or a user. Null for the service itself.
    "caller" TEXT,
    -- Of the API key.
    "key_id" BIGINT,
    -- What was requested: a field of Mutation.
    "operation" TEXT,
    "request_id" TEXT,
    -- create, update or delete.
    "change" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "row_id" TEXT NOT NULL,

    CONSTRAINT "_gateway_audit_log_pkey" PRIMARY KEY ("id")
);

-- The history of a row.
CREATE INDEX "_gateway_audit_log_model_row_id_id_idx" ON "_gateway_audit_log"("model", "row_id", "id");

-- A period, at next to no cost of a change: the rows are in the order of time.
CREATE INDEX "_gateway_audit_log_at_idx" ON "_gateway_audit_log" USING BRIN ("at");
