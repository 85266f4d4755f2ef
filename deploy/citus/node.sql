-- Run this once on each node, as postgres: psql -f node.sql
ALTER ROLE postgres PASSWORD 'change-me-2';
CREATE ROLE animal_store LOGIN PASSWORD 'change-me-1';
CREATE DATABASE animal_store OWNER animal_store;
\connect animal_store
CREATE EXTENSION citus;
