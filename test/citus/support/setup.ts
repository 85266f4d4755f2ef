import { readFile } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { applyMigrations } from '@store-gateway/local/migrations';
import { Client } from 'pg';
import { createDatabase, TEMPLATE } from '../../support/database.ts';
import { MIGRATIONS } from '../../support/store-database.ts';
import { closeTemplate, startCitus } from './cluster.ts';

/** One Citus for all test files, whose databases distribute the tables of the stores that they are migrated for. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using started = new AsyncDisposableStack();
  // Nothing of it outlives the run.
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
