-- Run this once on the coordinator, as postgres, when all nodes are running: psql -f cluster.sql animal_store
SELECT citus_set_coordinator_host('10.0.0.21', 5432);
SELECT citus_add_node('10.0.0.22', 5432);
SELECT citus_add_node('10.0.0.23', 5432);
