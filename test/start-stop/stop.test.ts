import { startDatabase } from '../support/store-database.ts';
import { once } from 'node:events';
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { StartupFailure } from '@store-gateway/ops';
import { connectClient } from '../support/connect-client.ts';
import { runEntry } from '../support/process.ts';
import {
  beginPost,
  logWithoutDelays,
  openIdleConnection,
  startPatientService,
} from '../support/service.ts';
import { emptyDatabase } from '../support/new-database.ts';

test.each([
  { signal: 'SIGTERM', code: 143 },
  { signal: 'SIGINT', code: 130 },
] as const)(
  'a second $signal ends the service at once with exit code $code',
  async ({ signal, code }) => {
    await using service = await startPatientService();
    const begun = await beginPost(service, '/v1/pets');
    const cutOff = once(begun, 'error');
    const idle = await openIdleConnection(service);
    service.child.kill(signal);
    // It is closed when the time is over in which a signal counts as the same one.
    await once(idle.resume(), 'close');
    service.child.kill(signal);
    expect(await service.child.exit).toEqual({ code, signal: null });
    await cutOff;
    const fatal = service.child
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"level":60'));
    expect(fatal.map((line): unknown => JSON.parse(line))).toMatchObject([
      { signal, msg: 'second shutdown signal: ended immediately' },
    ]);
  },
);

/** Waits until another connection waits for a lock of this one. */
async function somebodyWaits(client: Client): Promise<void> {
  const waiting = `SELECT FROM pg_locks
    WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
  await expect.poll(() => client.query(waiting)).toMatchObject({ rowCount: 1 });
}

/** An empty database, and a connection to it that has executed a statement. */
async function databaseAfter(statement: string) {
  const url = await emptyDatabase();
  const client = await connectClient(url);
  await client.query(statement);
  return { url, client };
}

test('a start that waits for the migration of another process ends at once when told to stop', async () => {
  // The lock under which databases are migrated.
  const { url, client } = await databaseAfter('SELECT pg_advisory_lock(72707369)');
  const stopping = new AbortController();
  const config = { databaseUrl: url, dataDirectory: '' };
  const starting = startDatabase(config, { stopped: stopping.signal });
  // Looked at when it is awaited.
  starting.catch(() => undefined);
  await somebodyWaits(client);
  stopping.abort();
  await expect(starting).rejects.toThrow(
    new StartupFailure('Stopped before the database was migrated.'),
  );
});

test('a service told to stop during its migration completes only that', async () => {
  // What the first migration makes, too.
  const { url, client } = await databaseAfter('BEGIN; CREATE TYPE pet_status AS ENUM ()');
  const child = runEntry('src/main.ts', { env: { DATABASE_URL: url, PORT: '0' } });
  await somebodyWaits(client);
  child.kill('SIGTERM');
  await client.query('ROLLBACK');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect([JSON.parse(logWithoutDelays(child)), child.stderr()]).toEqual([
    expect.objectContaining({ level: 30, msg: 'stopped before startup had finished' }),
    '',
  ]);
  const unfinished = 'SELECT FROM _prisma_migrations WHERE finished_at IS NULL';
  expect(await client.query(unfinished)).toMatchObject({ rowCount: 0 });
  // Its first key would have been shown to nobody.
  expect((await client.query('SELECT FROM _gateway_api_keys')).rowCount).toBe(0);
});
