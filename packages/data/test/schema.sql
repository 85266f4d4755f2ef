CREATE TYPE level_type AS ENUM ('LOW', 'high');
CREATE TABLE "every thing" (
  id bigserial PRIMARY KEY,
  big_int bigint NOT NULL, big_int_or_null bigint,
  "int" integer NOT NULL, "intOrNull" smallint,
  "float" double precision NOT NULL, "floatOrNull" double precision,
  "decimal" numeric(65, 30) NOT NULL, "decimalOrNull" numeric(20, 5),
  "string" text NOT NULL, "stringOrNull" varchar(40), "uuidOrNull" uuid,
  "boolean" boolean NOT NULL, "booleanOrNull" boolean,
  "dateTime" timestamptz(3) NOT NULL, "dateTimeOrNull" timestamp(3), "dateOrNull" date,
  "json" jsonb NOT NULL, "jsonOrNull" json,
  "bytes" bytea NOT NULL, "bytesOrNull" bytea,
  "level" level_type NOT NULL, "levelOrNull" level_type,
  strings text[], ints smallint[], big_ints bigint[], floats double precision[],
  decimals numeric(65, 30)[], booleans boolean[], "dateTimes" timestamptz(3)[], jsons jsonb[],
  blobs bytea[], levels level_type[], owner_id bigint
);
CREATE INDEX ON "every thing" ("level", id);
CREATE INDEX ON "every thing" (owner_id, id);
CREATE TABLE "Owner" (id bigserial PRIMARY KEY);
CREATE TABLE "Defaulted" (
  id text PRIMARY KEY, "number" integer NOT NULL, "text" text NOT NULL, "flag" boolean NOT NULL,
  "level" level_type NOT NULL, "price" numeric(65, 30) NOT NULL,
  "createdAt" timestamp(3) NOT NULL, "updatedAt" timestamp(3) NOT NULL
);
CREATE TABLE "Author" (id serial PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE);
CREATE TABLE "Book" (
  id bigserial PRIMARY KEY, title text NOT NULL, author_id integer NOT NULL, editor_id integer
);
CREATE INDEX ON "Book" (author_id, id);
CREATE INDEX ON "Book" (author_id, editor_id, title, id);
CREATE INDEX ON "Book" (title, author_id, id);
CREATE INDEX ON "Book" (title, id);
CREATE TABLE "Loan" (
  id bigserial PRIMARY KEY, status text NOT NULL, "level" level_type NOT NULL, category integer,
  flag boolean NOT NULL DEFAULT false,
  title text NOT NULL, due timestamptz(3) NOT NULL, "at" timestamp(3) NOT NULL, "day" date NOT NULL,
  price numeric(65, 30) NOT NULL, weight double precision NOT NULL, "count" smallint NOT NULL,
  "serial" bigint NOT NULL, code uuid NOT NULL, holder varchar(40) NOT NULL,
  finer timestamptz(6) NOT NULL DEFAULT now(), author_id integer NOT NULL
);
CREATE INDEX ON "Loan" (due DESC, title, id);
CREATE INDEX ON "Loan" (title, due, id);
CREATE INDEX ON "Loan" (title DESC, id);
CREATE INDEX ON "Loan" (status, due DESC, title, id);
CREATE INDEX ON "Loan" (status, title, id);
CREATE INDEX ON "Loan" ("level", status, title, id);
CREATE INDEX ON "Loan" (category, flag, "serial", id DESC);
CREATE INDEX ON "Loan" (status, id);
CREATE INDEX ON "Loan" (status, "level", id);
CREATE INDEX ON "Loan" ("at", id);
CREATE INDEX ON "Loan" ("day", "at" DESC, id);
CREATE INDEX ON "Loan" (price DESC, weight, "count" DESC, id);
CREATE INDEX ON "Loan" (weight, id);
CREATE INDEX ON "Loan" (code, id);
CREATE INDEX ON "Loan" (holder, id);
CREATE INDEX ON "Loan" (category, id);
CREATE INDEX ON "Loan" (finer, id);
CREATE INDEX ON "Loan" (author_id, title, id);
CREATE INDEX ON "Loan" (author_id, status, due DESC, id);
CREATE INDEX ON "Loan" (holder varchar_pattern_ops, title, id);
CREATE UNIQUE INDEX ON "Loan" ("serial", id DESC);
CREATE TABLE "Shelf" (id uuid PRIMARY KEY);
CREATE TABLE "Item" (id uuid PRIMARY KEY, shelf_id uuid NOT NULL REFERENCES "Shelf");
CREATE INDEX ON "Item" (shelf_id, id);
CREATE TABLE "Listed" (id serial PRIMARY KEY, tags char(1)[]);
CREATE TABLE "Pair" ("left" integer, "right" integer, PRIMARY KEY ("left", "right"));
CREATE TABLE "AllDefaults" (
  id uuid PRIMARY KEY, "serial" serial, "bigInt" bigint NOT NULL, "float" double precision NOT NULL,
  "decimal" numeric(65, 30) NOT NULL, "json" jsonb NOT NULL, "dateTime" timestamp(3) NOT NULL,
  "bytes" bytea NOT NULL, strings text[], dates timestamptz(3)[], blobs bytea[], levels level_type[],
  "level" level_type NOT NULL, "createdAt" timestamptz(3), "v0" text, "number" integer
);
CREATE INDEX ON "AllDefaults" ("json", id);
CREATE INDEX ON "AllDefaults" USING gin ("json" jsonb_path_ops);
CREATE TABLE "WithCuid" (id text PRIMARY KEY, name text NOT NULL);
CREATE TABLE "WithCuid2" (id text PRIMARY KEY, name text NOT NULL);
CREATE TABLE "WithNanoid" (id text PRIMARY KEY, name text NOT NULL);
CREATE TABLE "WithUlid" (id text PRIMARY KEY, name text NOT NULL);
CREATE TABLE "WithUuid7" (id uuid PRIMARY KEY, name text NOT NULL);
CREATE TABLE "WithVarcharId" (id varchar(3) PRIMARY KEY);
CREATE TABLE _gateway_idempotency_keys (
  key_id bigint, name text, model text, request jsonb, "row" jsonb,
  created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (key_id, name)
);
