-- Has the trigger fill the keys of the last day, while processes of the version before go on: in the order in which
-- they lock keys, and committed so often that none of them waits for long. Alone in its file, it is no transaction.
DO $$
DECLARE
  filled integer := 0;
  taken record;
BEGIN
  FOR taken IN
    SELECT "key_id", "name" FROM "idempotency_keys" WHERE "row" IS NULL ORDER BY "key_id", "name"
  LOOP
    UPDATE "idempotency_keys" SET "model" = 'Pet'
      WHERE "key_id" = taken."key_id" AND "name" = taken."name" AND "row" IS NULL;
    filled := filled + 1;
    IF filled % 500 = 0 THEN
      COMMIT;
    END IF;
  END LOOP;
END $$;
