import { applyMigrations } from '@store-gateway/local/migrations';
import { Client } from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import { runInProcess } from '../../support/command.ts';
import { distribute } from '../../support/store-commands.ts';
import { createDatabase } from '../../support/database.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { MIGRATIONS } from '../../support/store-database.ts';
import { HOST } from '../../system/support/haproxy.ts';
import { type CitusCluster, startCitus } from './cluster.ts';

/** A cluster of a test file's own, in whose databases nothing is distributed, but could be at any time. */
export async function startUndistributed(): Promise<CitusCluster> {
  const cluster = await startCitus({
    fsync: 'off',
    wal_level: 'logical',
    // Where Citus finds its own server.
    'citus.local_hostname': HOST,
  });
  const { coordinator, workers } = cluster;
  for (const { ask } of [coordinator, ...workers]) {
    // Minor versions of 2026 have it.
    if ((await ask("SELECT current_setting('output_plugin_libraries', true)")) !== null) {
      await ask('ALTER SYSTEM SET output_plugin_libraries = citus, pgoutput');
      await ask('SELECT pg_reload_conf()');
    }
  }
  return cluster;
}

/** An empty database, once what another one has distributed is over: both would name their replication slots alike. */
export async function createUndistributed({ url, coordinator, workers }: CitusCluster) {
  for (const { ask } of [coordinator, ...workers]) {
    const slots = "SELECT count(*) FROM pg_replication_slots WHERE slot_type = 'logical'";
    await vi.waitFor(async () => expect(await ask(slots)).toBe('0'), { timeout: 20_000 });
  }
  return createDatabase(url);
}

/** A migrated store in a database of its own. @returns its URL */
export async function createStore(cluster: CitusCluster): Promise<string> {
  const own = await createUndistributed(cluster);
  await applyMigrations(own, MIGRATIONS);
  return own;
}

/** Creates a database without Citus on all nodes. @returns its URL on the coordinator */
export async function createWithoutCitus(
  { coordinator, workers }: CitusCluster,
  name: string,
  localeOf: (node: PostgresServer) => string = () => 'C',
): Promise<string> {
  for (const node of [coordinator, ...workers]) {
    await node.ask(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE '${localeOf(node)}'`);
  }
  return Object.assign(new URL(coordinator.url), { pathname: name }).href;
}

function addressOf({ url }: PostgresServer): string {
  return `'${HOST}', ${new URL(url).port}`;
}

/** Makes Citus of such databases. */
export async function addCitus({ coordinator, workers }: CitusCluster, name: string) {
  for (const node of [coordinator, ...workers]) {
    await node.ask('CREATE EXTENSION citus', name);
  }
  await coordinator.ask(`SELECT citus_set_coordinator_host(${addressOf(coordinator)})`, name);
  for (const worker of workers) {
    await coordinator.ask(`SELECT citus_add_node(${addressOf(worker)})`, name);
  }
}

/** A store with some rows, and what asks it and runs the command on it. */
export async function openStore(cluster: CitusCluster) {
  const url = await createStore(cluster);
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(
    `INSERT INTO pets (name, category_id, status) SELECT 'Rex', number % 5, 'sold' FROM generate_series(1, 50) AS number`,
  );
  return {
    client,
    url,
    run: (...args: string[]) => runInProcess(distribute, args, { env: { DATABASE_URL: url } }),
    /** What Citus knows of tables. */
    distributed: async () => {
      const { rows } = await client.query<object>(
        'SELECT logicalrelid::text AS name, column_to_column_name(logicalrelid, partkey) AS by FROM pg_dist_partition',
      );
      return rows;
    },
    indexes: async () => {
      const { rows } = await client.query<{ definition: string }>(
        `SELECT substring(indexdef FROM '^CREATE (.*?) ON') || substring(indexdef FROM ' \\(.*') AS definition
         FROM pg_indexes WHERE tablename = 'pets' ORDER BY indexname`,
      );
      return rows.map(({ definition }) => definition);
    },
  };
}
