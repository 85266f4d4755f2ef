-- CreateTable
CREATE TABLE "deprecated_calls" (
    "key_id" BIGINT NOT NULL,
    "field" TEXT NOT NULL,
    "calls" BIGINT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deprecated_calls_pkey" PRIMARY KEY ("key_id","field")
);

-- CreateTable
CREATE TABLE "trusted_documents" (
    "hash" TEXT NOT NULL,
    "document" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "trusted_documents_pkey" PRIMARY KEY ("hash")
);

-- AddForeignKey
ALTER TABLE "deprecated_calls" ADD CONSTRAINT "deprecated_calls_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
