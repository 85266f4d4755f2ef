import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { applyMigrations } from '@store-gateway/local/migrations';
import { createBackendReaper, createPool, REQUEST_TIMEOUTS } from '@store-gateway/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { connectClient } from '../support/connect-client.ts';
import { createDatabase } from '../support/database.ts';
import { newDatabase } from '../support/new-database.ts';
import { requestOf } from '../support/gateway.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { startLoad } from '../support/load.ts';
import { startOutagePostgres, type OutagePostgres } from '../support/embedded-postgres.ts';
import { runEntry } from '../support/process.ts';
import { startProxyServer } from '../support/database-proxy.ts';
import {
  failedStart,
  firstKey,
  startPatientService,
  startService,
  type Service,
} from '../support/service.ts';
import { MIGRATIONS } from '../support/store-database.ts';

const forward = (client: Socket, database: Socket) => {
  client.pipe(database).pipe(client);
};

const readinessOf = async ({ url }: Service) => (await fetch(`${url}/readyz`)).text();

const hostOf = (url: string) => new URL(url).host;

/** The URL with other servers before its own server. */
function after(url: string, ...hosts: readonly string[]): string {
  const { username, password, host, pathname } = new URL(url);
  return `postgresql://${username}:${password}@${[...hosts, host].join(',')}${pathname}`;
}

/**
 * Creates a database on a different server with the API keys of the first one, and an animal called Copy.
 *
 * @returns the URLs of both, for a role that exists on both servers
 */
async function copyTo(postgres: OutagePostgres, databaseUrl: string): Promise<string[]> {
  const copyUrl = await createDatabase(postgres.url, {
    name: new URL(databaseUrl).pathname.slice(1),
  });
  await applyMigrations(copyUrl, MIGRATIONS);
  const [from, to] = await Promise.all([connectClient(databaseUrl), connectClient(copyUrl)]);
  const { rows } = await from.query<{ keys: string }>(
    'SELECT json_agg(_gateway_api_keys)::text AS keys FROM _gateway_api_keys',
  );
  await to.query(
    'INSERT INTO _gateway_api_keys SELECT * FROM json_populate_recordset(NULL::_gateway_api_keys, $1)',
    [rows[0]?.keys],
  );
  await to.query("INSERT INTO pets (name, category_id, status) VALUES ('Copy', 1, 'sold')");
  const username = `role_${randomBytes(8).toString('hex')}`;
  for (const client of [from, to]) {
    await client.query(`CREATE ROLE ${username} SUPERUSER LOGIN PASSWORD 'shared'`);
  }
  return [databaseUrl, copyUrl].map(
    (url) => Object.assign(new URL(url), { username, password: 'shared' }).href,
  );
}

test('a server that refuses connections or does not answer is skipped', async () => {
  const databaseUrl = await newDatabase();
  await using first = await startProxyServer(databaseUrl, forward);
  await using last = await startProxyServer(databaseUrl, forward);
  const silent = `127.0.0.1:${await listenLocally()}`;
  const url = after(last.url, '127.0.0.1:1', silent, hostOf(first.url));
  await using service = await startService({ DATABASE_URL: url });
  await using load = startLoad(service.url, await firstKey(service));
  await load.allAnswered(SUCCESS_STATUSES);
  await first[Symbol.asyncDispose]();
  await load.answered(503);
  await load.allAnswered(SUCCESS_STATUSES);
  await load.end();
  expect(await load.faultsIn(databaseUrl)).toEqual([]);

  await using command = runEntry('src/main.ts keys', {
    args: ['list'],
    env: { DATABASE_URL: after(last.url, '127.0.0.1:1') },
  });
  expect(await command.exit).toMatchObject({ code: 0 });
  expect(
    await failedStart({ DATABASE_URL: after('postgresql://u:p@127.0.0.1:2/db', '127.0.0.1:1') }),
  ).toBe(
    'The database at 127.0.0.1:1 or 127.0.0.1:2 (DATABASE_URL) cannot be used: connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED 127.0.0.1:2.',
  );
});

test('among several servers, the primary is used, and a standby only after its promotion', async () => {
  const databaseUrl = await newDatabase();
  await using postgres = await startOutagePostgres();
  await using before = await startService({ DATABASE_URL: databaseUrl });
  const key = await firstKey(before);
  const [primaryUrl = '', copyUrl = ''] = await copyTo(postgres, databaseUrl);
  await using primary = await startProxyServer(primaryUrl, forward);
  await using other = await startProxyServer(copyUrl, forward);
  await postgres.crash();
  await postgres.standBy();
  await postgres.start();

  await using service = await startService({
    DATABASE_URL: after(primary.url, hostOf(other.url)),
  });
  const request = requestOf(service.url, key);
  expect(await request('/v1/pets')).toMatchObject({ status: 200, json: [] });
  await primary[Symbol.asyncDispose]();
  await expect.poll(async () => (await request('/v1/pets')).status).toBe(503);
  expect(await readinessOf(service)).toMatch(/^not ready/);
  await (await connectClient(copyUrl)).query('SELECT pg_promote()');
  await expect.poll(async () => (await request('/v1/pets')).json).toMatchObject([{ name: 'Copy' }]);
});

test('a server that became read-only is replaced by the server that its address now points to', async () => {
  await using postgres = await startOutagePostgres();
  await using replacement = await startOutagePostgres();
  const databaseUrl = await createDatabase(postgres.url);
  await using before = await startService({ DATABASE_URL: databaseUrl });
  const key = await firstKey(before);
  const [oneUrl = '', copyUrl = ''] = await copyTo(replacement, databaseUrl);
  await using proxy = await startProxyServer(oneUrl, forward);
  await using service = await startPatientService({ DATABASE_URL: proxy.url });
  const request = requestOf(service.url, key);
  const readiness = () => readinessOf(service);
  const operator = await connectClient(databaseUrl);
  // Enough concurrent requests to open all connections.
  const readAll = () =>
    Promise.all(Array.from({ length: 50 }, (_, index) => request(`/v1/pets?limit=${index + 1}`)));
  expect((await readAll()).map(({ text }) => text)).toEqual(Array.from({ length: 50 }, () => '[]'));

  await operator.query('ALTER SYSTEM SET default_transaction_read_only = on');
  await operator.query('SELECT pg_reload_conf()');
  await expect.poll(readiness).toBe('not ready: the database rejects writes\n');
  proxy.switchTo(copyUrl);
  await expect.poll(readiness).toBe('ready\n');
  for (const { json } of await readAll()) {
    expect(json).toMatchObject([{ name: 'Copy' }]);
  }
});

test('a service whose database is a standby rejects reads and writes until the promotion, because rows may be stale', async () => {
  await using postgres = await startOutagePostgres();
  const databaseUrl = await createDatabase(postgres.url);
  await using service = await startService({ DATABASE_URL: databaseUrl });
  const request = requestOf(service.url, await firstKey(service));
  const readiness = () => readinessOf(service);
  const create = () =>
    request('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Rex","categoryId":1}',
    });
  expect(await create()).toMatchObject({ status: 201 });
  await postgres.crash();
  await postgres.standBy();
  await postgres.start();
  await expect.poll(readiness).toBe('not ready: the database is a standby\n');
  const refusal = { status: 503, json: { code: 'SERVICE_UNAVAILABLE' } };
  expect(await request('/v1/pets')).toMatchObject(refusal);
  expect(await create()).toMatchObject(refusal);

  // A replica pool uses the standby, and keeps its connection after the promotion.
  const reaper = createBackendReaper();
  const options = { max: 1, timeouts: REQUEST_TIMEOUTS, applicationName: 'test', reaper } as const;
  const replicas = createPool(databaseUrl, { name: 'replicas', role: 'replica', ...options });
  onTestFinished(() => replicas.end());
  const state = 'SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid';
  const { rows: before } = await replicas.query<{ standby: boolean; pid: number }>(state);
  expect(before).toMatchObject([{ standby: true }]);

  await (await connectClient(databaseUrl)).query('SELECT pg_promote()');
  await expect.poll(readiness).toBe('ready\n');
  await expect.poll(async () => (await create()).status).toBe(201);
  expect((await request('/v1/pets')).json).toMatchObject([{ name: 'Rex' }, { name: 'Rex' }]);
  expect((await replicas.query(state)).rows).toEqual([{ standby: false, pid: before[0]?.pid }]);
});
