-- Secrets of this database, shared by all processes. With them, hidden columns could be guessed from the versions of rows.
CREATE TABLE "_gateway_secrets" (
    "name" TEXT NOT NULL,
    "secret" BYTEA NOT NULL,

    CONSTRAINT "_gateway_secrets_pkey" PRIMARY KEY ("name")
);

-- The key of rows' versions: 244 random bits.
INSERT INTO "_gateway_secrets" ("name", "secret")
VALUES ('versions', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
