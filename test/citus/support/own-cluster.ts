import { applyMigrations } from '@store-gateway/local/migrations';
import { expect, vi } from 'vitest';
import { keptForFile } from '../../support/clean-up.ts';
import { createDatabase } from '../../support/database.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { MIGRATIONS } from '../../support/store-database.ts';
import { HOST } from '../../system/support/haproxy.ts';
import { type CitusCluster, inDatabase, joinNodes, startCitus } from './cluster.ts';

/** Starts a cluster without distributed tables, until the tests of the file are over. */
export async function startUndistributed(): Promise<CitusCluster> {
  const cluster = keptForFile(
    await startCitus({
      fsync: 'off',
      wal_level: 'logical',
      // The address at which Citus connects to its own server.
      'citus.local_hostname': HOST,
    }),
  );
  const { coordinator, workers } = cluster;
  for (const { ask } of [coordinator, ...workers]) {
    // The minor versions of 2026 have this setting.
    if ((await ask("SELECT current_setting('output_plugin_libraries', true)")) !== null) {
      await ask('ALTER SYSTEM SET output_plugin_libraries = citus, pgoutput');
      await ask('SELECT pg_reload_conf()');
    }
  }
  return cluster;
}

/** Creates an empty database after running distributions have ended, because they all name their replication slots alike. */
export async function createUndistributed({ url, coordinator, workers }: CitusCluster) {
  for (const { ask } of [coordinator, ...workers]) {
    const slots = "SELECT count(*) FROM pg_replication_slots WHERE slot_type = 'logical'";
    await vi.waitFor(async () => expect(await ask(slots)).toBe('0'), { timeout: 20_000 });
  }
  return createDatabase(url);
}

/** Creates a migrated store in a new database. @returns its URL */
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
  return inDatabase(coordinator, name);
}

/** Adds Citus to a database that exists on all nodes. */
export async function addCitus(cluster: CitusCluster, name: string): Promise<void> {
  for (const node of [cluster.coordinator, ...cluster.workers]) {
    await node.ask('CREATE EXTENSION citus', name);
  }
  await joinNodes(cluster, name);
}
