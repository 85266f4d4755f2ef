-- Expand: keys of any model, beside the columns that processes of the version before read and write. The version
-- after this one may contract: drop trigger, function and those four columns, and set "model", "request" and "row"
-- NOT NULL.
ALTER TABLE "idempotency_keys"
  ADD COLUMN "model" TEXT,
  ADD COLUMN "request" JSONB,
  ADD COLUMN "row" JSONB,
  -- What a process of the version before finds of other models: no animal, so it refuses the key.
  ALTER COLUMN "pet_id" SET DEFAULT 0,
  ALTER COLUMN "pet_name" SET DEFAULT '',
  ALTER COLUMN "category_id" SET DEFAULT 0,
  ALTER COLUMN "status" SET DEFAULT 'available';

CREATE FUNCTION "sync_idempotency_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Only the version before writes "pet_id" itself, a new one each time.
  IF NEW."row" IS NULL OR (TG_OP = 'UPDATE' AND NEW."pet_id" <> OLD."pet_id") THEN
    NEW."model" := 'Pet';
    NEW."request" := jsonb_build_object(
      'name', NEW."pet_name", 'category_id', NEW."category_id", 'status', NEW."status");
    NEW."row" := NEW."request" || jsonb_build_object('id', NEW."pet_id");
  ELSIF NEW."model" = 'Pet' THEN
    NEW."pet_id" := NEW."row" ->> 'id';
    NEW."pet_name" := NEW."row" ->> 'name';
    NEW."category_id" := NEW."row" ->> 'category_id';
    NEW."status" := NEW."row" ->> 'status';
  ELSE
    NEW."pet_id" := 0;
    NEW."pet_name" := '';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "sync_idempotency_key" BEFORE INSERT OR UPDATE ON "idempotency_keys"
  FOR EACH ROW EXECUTE FUNCTION "sync_idempotency_key"();
