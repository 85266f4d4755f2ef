import { readFile } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { applyMigrations } from '@store-gateway/local/migrations';
import { Client } from 'pg';
import { createDatabase, TEMPLATE } from '../../support/database.ts';
import { MIGRATIONS } from '../../support/store-database.ts';
import { closeTemplate, startCitus } from './cluster.ts';

/** Starts one Citus cluster for all test files. Its databases distribute a store's tables when they are migrated. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using started = new AsyncDisposableStack();
  // Data need not survive a crash, because the cluster only exists during the run.
  const cluster = started.use(await startCitus({ fsync: 'off' }, distributeTables));
  await applyMigrations(await createDatabase(cluster.url, { name: TEMPLATE }), MIGRATIONS);
  for (const node of [cluster.coordinator, ...cluster.workers]) {
    await closeTemplate(node, TEMPLATE);
  }
  project.provide('postgresUrl', cluster.url);
  project.provide('isSharded', true);
  const running = started.move();
  return () => running.disposeAsync();
}

async function distributeTables(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(await readFile(new URL('distribute.sql', import.meta.url), 'utf8'));
  } finally {
    await client.end();
  }
}
