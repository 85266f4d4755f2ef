import { MIGRATIONS, startDatabase } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { applyMigrations } from '@store-gateway/local/migrations';
import { ensureFirstKey } from '../../packages/access/src/keys/api-keys.ts';
import { StartupFailure } from '@store-gateway/ops';
import { TEMPLATE } from '../support/database.ts';
import { connectClient } from '../support/connect-client.ts';
import {
  database,
  LOCK,
  ALL_NAMES,
  NAMES,
  refuseAnimals,
  UNLOCK,
  waitingForLock,
} from '../support/migrating.ts';

test('when several processes start on an empty database, one migrates and the others wait', async () => {
  const { url, client } = await database();
  // Hold the lock until all processes wait for it.
  await client.query(LOCK);
  const migrations = Array.from({ length: 5 }, () => applyMigrations(url, MIGRATIONS));
  const firstKeys = Array.from({ length: 2 }, async () => {
    const { database: store, stop } = await startDatabase({ databaseUrl: url, dataDirectory: '' });
    const key = await ensureFirstKey(store, new AbortController().signal);
    await stop();
    return key;
  });
  await waitingForLock(client, 7);
  await client.query(UNLOCK);

  const applied = (await Promise.all(migrations)).flatMap((migrated) => migrated.applied);
  const [made, ...others] = (await Promise.all(firstKeys)).filter((key) => key !== undefined);
  expect([[], ALL_NAMES]).toContainEqual(applied);
  const { rows } = await client.query('SELECT migration_name FROM _prisma_migrations ORDER BY 1');
  expect(rows).toEqual(NAMES.map((name) => ({ migration_name: name })));

  // Only one of the two created a first key.
  expect(made).toMatch(/^asg_/);
  expect(others).toEqual([]);
  expect((await client.query('SELECT name FROM _gateway_api_keys')).rows).toEqual([
    { name: 'first' },
  ]);
});

const REFUSED = expect.stringContaining('no room for animals') as unknown;

test.each([
  [
    'all migrations are finished',
    () => undefined,
    NAMES.map(() => null),
    { value: { applied: ALL_NAMES } },
  ],
  ['a failure is recorded', refuseAnimals, [REFUSED], { reason: { message: REFUSED } }],
])(
  'the migration lock is held from before the first migration until %s',
  async (_what, prepare, logs, outcome) => {
    const { url, client } = await database();
    await prepare(client);
    const next = await connectClient(url);
    await client.query(LOCK);
    const applied = Promise.allSettled([applyMigrations(url, MIGRATIONS)]);
    await waitingForLock(client, 1);
    const nextHasLock = next.query(LOCK);
    await waitingForLock(client, 2);
    await client.query(UNLOCK);
    // Waiting sessions get the lock in the order of their requests.
    await nextHasLock;
    const ended = 'SELECT logs FROM _prisma_migrations WHERE num_nonnulls(finished_at, logs) > 0';
    expect((await next.query(ended)).rows).toEqual(logs.map((each) => ({ logs: each })));
    expect(await applied).toMatchObject([outcome]);
  },
);

test.each(['migrates', 'waits for the migration lock'])(
  'a start that loses its connection while it %s reports the loss',
  async (what) => {
    const { url, client } = await database();
    // Blocks on a type that the first migration also creates, or on the migration lock.
    await client.query(what === 'migrates' ? 'BEGIN; CREATE TYPE pet_status AS ENUM ()' : LOCK);
    const applied = applyMigrations(url, MIGRATIONS);
    applied.catch(() => undefined);
    const waits =
      'FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
    await expect.poll(() => client.query(`SELECT ${waits}`)).toMatchObject({ rowCount: 1 });
    await client.query(`SELECT pg_terminate_backend(pid) ${waits}`);
    await expect(applied).rejects.toThrow(
      new StartupFailure(
        what === 'migrates'
          ? 'The connection to the database was lost during a migration; start again to finish it, or to see how far it got.'
          : 'The database cannot be migrated: terminating connection due to administrator command.',
      ),
    );
  },
);

test('a start waits for a migration that another process is applying', async () => {
  const { url, client } = await database(TEMPLATE);
  // Simulates a process in the middle of a migration.
  await client.query(LOCK);
  await client.query('UPDATE _prisma_migrations SET finished_at = NULL');
  const applied = applyMigrations(url, MIGRATIONS);
  await waitingForLock(client, 1);
  await client.query('UPDATE _prisma_migrations SET finished_at = now()');
  await client.query(UNLOCK);
  expect((await applied).applied).toEqual([]);
});
