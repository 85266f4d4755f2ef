import { keys } from '../support/store-commands.ts';
import { openDatabase, startDatabase } from '../support/store-database.ts';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type StartOptions } from '../../packages/gateway/src/database/start.ts';
import { log, setLogger } from '@store-gateway/ops';
import { runInProcess } from '../support/command.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { newDatabase } from '../support/new-database.ts';

// Tests wait only for the database: they advance the clock themselves.
beforeEach(() => {
  setLogger(undefined);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const SECONDS = 1000;

/** Starts a proxy to a database whose answers the test delays. */
async function slowProxy() {
  const proxy = await startDatabaseProxy();
  return { ...proxy, address: new URL(proxy.url).host };
}

/** Starts a store on a delayed database. */
async function startSlowly(options: StartOptions = {}) {
  const proxy = await slowProxy();
  proxy.holdAll();
  const config = { databaseUrl: proxy.url, dataDirectory: '' };
  const warn = vi.spyOn(log, 'warn');
  const starting = startDatabase(config, options);
  // The rejection is handled when a test awaits `starting`.
  starting.catch(() => undefined);
  await proxy.holding();
  return { proxy, address: proxy.address, starting, warn };
}

test('startup waits for a database with a latency of 3 s and reports that, but requests do not wait', async () => {
  const { proxy, address, starting, warn } = await startSlowly();
  const isStillHeld = async () => {
    await proxy.holding();
    return true;
  };
  const hasStarted = starting.then(() => false);
  do {
    vi.advanceTimersByTime(3 * SECONDS);
    proxy.holdAll();
  } while (await Promise.race([isStillHeld(), hasStarted]));
  const { database, stop } = await starting;
  const told = [{ waitingFor: `the database at ${address}` }, 'still starting'];
  // One warning for the migrations, and one for the connections that serve requests.
  expect(warn.mock.calls).toEqual([told, told]);

  proxy.hold();
  const asked = database.$ping();
  await proxy.holding();
  vi.advanceTimersByTime(0.8 * SECONDS);
  await expect(asked).rejects.toMatchObject({ extensions: { code: 'SERVICE_UNAVAILABLE' } });
  proxy.letGo();
  await stop();
});

test('a start that is waiting for its database ends immediately when told to stop', async () => {
  const stopping = new AbortController();
  const { starting } = await startSlowly({ stopped: stopping.signal });
  stopping.abort();
  await expect(starting).rejects.toThrow('Stopped before the database was migrated.');
});

test('a command on a terminal reports that it waits for its database, and fails after 30 s', async () => {
  const proxy = await slowProxy();
  proxy.holdAll();
  const { address } = proxy;
  const listing = runInProcess(keys, ['list'], { env: { DATABASE_URL: proxy.url }, isTTY: true });
  await proxy.holding();
  vi.advanceTimersByTime(30 * SECONDS);
  const { code, stderr } = await listing;
  expect([code, stderr]).toEqual([
    1,
    `still waiting for the database at ${address}
keys: The database at ${address} (DATABASE_URL) cannot be used: it did not respond within 30 s.
`,
  ]);
});

test('opening connections in advance is aborted when the process is told to stop', async () => {
  const proxy = await slowProxy();
  proxy.holdAll();
  const database = openDatabase(proxy.url);
  const stopping = new AbortController();
  const connecting = database.$connect(stopping.signal);
  connecting.catch(() => undefined);
  await proxy.holding();
  stopping.abort();
  await expect(connecting).rejects.toThrow('Connection terminated');
  await database.$disconnect();
});

test('an idle database connection stays open', async () => {
  const database = openDatabase(await newDatabase());
  await database.$connect();
  vi.advanceTimersByTime(3600 * SECONDS);
  const connect = vi.spyOn(Client.prototype, 'connect');
  await database.$ping();
  expect(connect).not.toHaveBeenCalled();
  await database.$disconnect();
});
