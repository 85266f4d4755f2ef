import packageJson from '../../package.json' with { type: 'json' };
import { expect, onTestFinished, test, vi } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { captureLog } from '../support/captured-log.ts';
import { startCuttingProxy } from '../support/database-proxy.ts';
import { startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/connect-client.ts';
import { startService } from '../support/service.ts';
import { emptyDatabase } from '../support/new-database.ts';

const direct = await startGateway();
const proxy = await startCuttingProxy(direct.databaseUrl);
const cut = await startGateway({ databaseUrl: proxy.url });
const sampled = await startGateway({ logSample: 0.25 });
const failing = await startGateway({ logSample: 0, maximumOpenRequests: 0 });
const log = captureLog();

test('the log line about deprecated calls has no request id', async () => {
  const msg = 'deprecated field called';
  await direct.request('/v1/pets/1');
  await log.line((line) => line.includes(msg));
  expect(log.lines(msg)).toEqual([
    { level: 40, time: expect.any(Number) as unknown, keyId: '1', field: 'pet', calls: 1, msg },
  ]);
});

test('the log line about a lost idle connection has no request id', async () => {
  const msg = 'idle database connection lost';
  // In the second round, every connection was opened by a request.
  for (const _ of ['first', 'second']) {
    await expect.poll(async () => (await cut.request('/v1/pets')).status).toBe(200);
    const before = log.lines(msg).length;
    proxy.cutAll();
    await expect.poll(() => log.lines(msg).length).toBeGreaterThan(before);
  }
  const lines = log.lines(msg);
  const line = {
    level: 40,
    time: expect.any(Number) as unknown,
    reason: expect.any(String) as unknown,
    msg,
  };
  expect(lines).toEqual(lines.map(() => line));
});

/** Returns whether a request is logged. A second request, which is always logged, marks the end of the wait. */
async function isLogged(requestId: string, share: number): Promise<boolean> {
  using random = vi.spyOn(Math, 'random').mockReturnValue(share);
  await sampled.request('/v1/pets', { headers: { 'X-Request-Id': requestId } });
  random.mockReturnValue(0);
  const after = `${requestId}-after`;
  await sampled.request('/v1/pets', { headers: { 'X-Request-Id': after } });
  await log.line((line) => line.includes(`"requestId":"${after}"`));
  return log.text().includes(`"requestId":"${requestId}"`);
}

test('LOG_SAMPLE is the share of successful requests that are logged', async () => {
  expect(await isLogged('within', 0.24)).toBe(true);
  expect(await isLogged('beyond', 0.25)).toBe(false);
});

test('a failed request is always logged', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.99);
  onTestFinished(() => {
    random.mockRestore();
  });
  const headers = { 'X-Request-Id': 'failed' };
  expect((await failing.request('/v1/pets', { headers })).status).toBe(503);
  const line = await log.line((text) => text.includes('"requestId":"failed"'));
  expect(line).toContain('"status":503');
});

/** Starts the service and stops it; returns the line that it logs when it listens, and its whole output. */
async function start(env: NodeJS.ProcessEnv) {
  await using service = await startService(env);
  const line = await service.child.line('stdout', (text) => text.includes('"msg":"listening"'));
  const logged: unknown = JSON.parse(line);
  return { logged: isJsonObject(logged) ? logged : {}, output: service.child.stdout() };
}

test('startup logs the version, the database and the applied migrations', async () => {
  const databaseUrl = await emptyDatabase();
  const operator = await connectClient(databaseUrl);
  const { rows } = await operator.query<{ server_version: string }>('SHOW server_version');
  const first = await start({ DATABASE_URL: databaseUrl });
  expect(first.logged).toMatchObject({
    version: packageJson.version,
    node: process.versions.node,
    database: new URL(databaseUrl).searchParams.get('host'),
    postgresql: rows[0]?.server_version,
  });
  const applied = await operator.query<{ name: string }>(
    'SELECT migration_name AS name FROM _gateway_migrations UNION ALL SELECT migration_name FROM _prisma_migrations',
  );
  expect(first.logged['migrations']).toEqual(
    expect.arrayContaining(applied.rows.map(({ name }) => name)),
  );
  expect(first.output.match(/"postgresql":/g)).toHaveLength(1);

  const second = await start({ DATABASE_URL: databaseUrl, WORKERS: '2' });
  expect(second.logged).toMatchObject({ version: packageJson.version, workers: 2, migrations: [] });
  expect(second.output.match(/"postgresql":/g)).toHaveLength(1);
});
