import { keys } from '../support/store-commands.ts';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { AS_IN_PRODUCTION, startGateway } from '../support/gateway.ts';

test('a command waits for a busy database when a request has long been refused', async () => {
  const { databaseUrl, request } = await startGateway(AS_IN_PRODUCTION);
  const other = new Client(databaseUrl);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('BEGIN; LOCK TABLE _gateway_api_keys');
  const command = runInProcess(keys, ['list'], { env: { DATABASE_URL: databaseUrl } });
  // Each is given 0.8 s; the second is sent when the command has begun to wait for long.
  expect((await request('/v1/pets')).status).toBe(503);
  expect((await request('/v1/pets')).status).toBe(503);
  await other.query('COMMIT');
  expect(await command).toMatchObject({ code: 0, stderr: '' });
});
