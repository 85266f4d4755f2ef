-- Secrets of this database, the same for all processes. Who may read them can try values of hidden columns until a row's
-- version fits.
CREATE TABLE "_gateway_secrets" (
    "name" TEXT NOT NULL,
    "secret" BYTEA NOT NULL,

    CONSTRAINT "_gateway_secrets_pkey" PRIMARY KEY ("name")
);

-- The key of rows' versions: 244 random bits.
INSERT INTO "_gateway_secrets" ("name", "secret")
VALUES ('versions', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
