-- Distributes a store's tables by their id as soon as the gateway's first own table is created. Tables that foreign keys
-- refer to become reference tables; tables with other unique columns are not distributed.
CREATE SCHEMA distribution;
CREATE VIEW distribution.tables_of_store AS
  SELECT oid::regclass AS name FROM pg_class
  WHERE relnamespace::regnamespace::text !~ '^(pg_|citus|columnar)' AND relname !~ '^_'
    -- Excludes shards that this transaction creates.
    AND relname !~ '_\d{6}$' AND oid NOT IN (SELECT logicalrelid FROM pg_dist_partition);
CREATE FUNCTION distribution.distribute_tables() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
  referenced regclass;
  distributed record;
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity LIKE '%.\_gateway\_idempotency\_keys'
  ) THEN
    RETURN;
  END IF;
  SET LOCAL citus.multi_shard_modify_mode = 'sequential';
  FOR referenced IN
    SELECT DISTINCT name FROM pg_constraint JOIN distribution.tables_of_store ON confrelid = name
    WHERE contype = 'f' ORDER BY name
  LOOP
    PERFORM create_reference_table(referenced);
  END LOOP;
  FOR distributed IN
    SELECT name, attname AS id
    FROM pg_index AS keys
      JOIN distribution.tables_of_store ON indrelid = name
      JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
    WHERE indisprimary AND indnkeyatts = 1 AND NOT EXISTS (
      SELECT FROM pg_index AS others
      WHERE others.indrelid = keys.indrelid AND indisunique AND attnum <> ALL (others.indkey)
    )
  LOOP
    PERFORM create_distributed_table(distributed.name, distributed.id);
  END LOOP;
END $$;
CREATE EVENT TRIGGER distribute_tables ON ddl_command_end
  WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION distribution.distribute_tables();
