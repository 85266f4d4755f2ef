import { once } from 'node:events';
import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { runEntry } from '../support/process.ts';
import {
  beginPost,
  logOf,
  logWithoutDelays,
  openIdleConnection,
  startPatientService,
} from '../support/service.ts';
import { emptyDatabase } from '../support/new-database.ts';

test('a second SIGTERM ends the service immediately with the exit code 143', async () => {
  await using service = await startPatientService();
  const begun = await beginPost(service, '/v1/pets');
  const cutOff = once(begun, 'error');
  const idle = await openIdleConnection(service);
  service.child.kill('SIGTERM');
  // The idle connection is closed after the period in which repeated signals count as one.
  await once(idle.resume(), 'close');
  service.child.kill('SIGTERM');
  expect(await service.child.exit).toEqual({ code: 143, signal: null });
  await cutOff;
  expect(logOf(service).filter(({ level }) => level === 60)).toMatchObject([
    { signal: 'SIGTERM', msg: 'second shutdown signal: ended immediately' },
  ]);
});

test('a service told to stop during a migration completes the migration and then exits', async () => {
  const url = await emptyDatabase();
  const client = await connectClient(url);
  // The first migration creates the same type, so it has to wait.
  await client.query('BEGIN; CREATE TYPE pet_status AS ENUM ()');
  const child = runEntry('src/main.ts', { env: { DATABASE_URL: url, PORT: '0' } });
  const waiting = `SELECT FROM pg_locks
    WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
  await expect.poll(() => client.query(waiting)).toMatchObject({ rowCount: 1 });
  child.kill('SIGTERM');
  await client.query('ROLLBACK');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect([JSON.parse(logWithoutDelays(child)), child.stderr()]).toEqual([
    expect.objectContaining({ level: 30, msg: 'stopped before startup had finished' }),
    '',
  ]);
  const unfinished = 'SELECT FROM _prisma_migrations WHERE finished_at IS NULL';
  expect(await client.query(unfinished)).toMatchObject({ rowCount: 0 });
  // A first key would never have been shown.
  expect((await client.query('SELECT FROM _gateway_api_keys')).rowCount).toBe(0);
});
