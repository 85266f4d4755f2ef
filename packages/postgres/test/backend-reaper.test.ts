import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectClient } from '../../../test/support/connect-client.ts';
import { createBackendReaper, type UnneededBackend } from '../src/backend-reaper.ts';
import { connectionOptions } from '../src/connection-options.ts';
import { onFileFinished } from '../../../test/support/clean-up.ts';
import { startProxyServer } from '../../../test/support/database-proxy.ts';

const postgresUrl = inject('postgresUrl');
const operator = await connectClient(postgresUrl, onFileFinished);

/** Opens a session like those of the service. */
async function openSession({ url = postgresUrl, name = 'service' } = {}) {
  const config = { ...connectionOptions(url)[0], fallback_application_name: name };
  const session = new Client(config);
  session.on('error', () => undefined);
  await session.connect();
  onTestFinished(() => session.end());
  const isThere = async () => {
    const { rowCount } = await operator.query('SELECT FROM pg_stat_activity WHERE pid = $1', [
      session.processID,
    ]);
    return rowCount === 1;
  };
  return { processID: session.processID, begunBy: performance.now(), config, isThere };
}

/** Resolves when the reaper reports that the backend is gone. */
async function reap(backend: Omit<UnneededBackend, 'onGone'>): Promise<void> {
  const gone = Promise.withResolvers<void>();
  createBackendReaper().reap({ ...backend, onGone: gone.resolve });
  await gone.promise;
}

test('an abandoned backend is terminated', async () => {
  const session = await openSession();
  await reap(session);
  expect(await session.isThere()).toBe(false);
});

test('an abandoned backend is terminated even if its session has switched to a different role', async () => {
  const name = `role_${randomBytes(4).toString('hex')}`;
  await operator.query(`CREATE ROLE ${name} LOGIN; CREATE ROLE ${name}_owner`);
  await operator.query(`GRANT ${name}_owner TO ${name}; ALTER ROLE ${name} PASSWORD 'known'`);
  await operator.query(`ALTER ROLE ${name} SET role = ${name}_owner`);
  onTestFinished(async () => {
    await operator.query(`DROP ROLE ${name}, ${name}_owner`);
  });
  const url = Object.assign(new URL(postgresUrl), { username: name, password: 'known' }).href;
  const session = await openSession({ url });
  await reap(session);
  expect(await session.isThere()).toBe(false);
});

test("a different client's backend with the same process ID is not terminated", async () => {
  const [younger, other] = [await openSession(), await openSession({ name: 'other' })];
  const began = performance.now() - 60_000;
  await reap({ ...younger, begunBy: began });
  expect(await younger.isThere()).toBe(true);
  const { config } = younger;
  await reap({ ...other, config });
  expect(await other.isThere()).toBe(true);
});

test('the reaper reconnects if its connection is lost while it is being established', async () => {
  const ways: string[] = [];
  await using proxy = await startProxyServer(postgresUrl, (client, database) => {
    ways.push(ways.length === 0 ? 'lost' : 'open');
    if (ways.length > 1) {
      client.pipe(database);
      database.pipe(client);
    }
  });
  const session = await openSession();
  // Without a connection timeout, pg would wait forever.
  const config = { ...connectionOptions(proxy.url)[0], fallback_application_name: 'service' };
  await reap({ ...session, config: { ...config, connectionTimeoutMillis: 0 } });
  expect(await session.isThere()).toBe(false);
  expect(ways.slice(0, 2)).toEqual(['lost', 'open']);
});
