import { availableParallelism } from 'node:os';
import { StartupFailure } from '@store-gateway/ops';
import { expect, inject, test } from 'vitest';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { connectClient } from '../support/connect-client.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { failedStart } from '../support/service.ts';
import { emptyDatabase } from '../support/new-database.ts';

test.each(['0', '257', '1.5', 'all', 'auto '])('WORKERS=%j is refused', (workers) => {
  const message = `WORKERS must be an integer between 1 and 256, or auto, not ${JSON.stringify(workers)}`;
  expect(() => readConfig({ WORKERS: workers })).toThrow(new StartupFailure(message));
});

test.each([
  ['4', 4],
  ['auto', availableParallelism()],
])('WORKERS=%j starts %i workers', (workers, expected) => {
  expect(readConfig({ WORKERS: workers })).toMatchObject({ workers: expected });
});

/* failedStart expects one line on stderr, nothing else, and the exit code 1. */

test('workers report a port in use once, and leave the first key to the next start', async () => {
  const databaseUrl = await emptyDatabase();
  const port = await listenLocally();
  expect(await failedStart({ WORKERS: '3', DATABASE_URL: databaseUrl, PORT: String(port) })).toBe(
    `PORT: 127.0.0.1:${port} is already in use; set PORT to a free one`,
  );
  const client = await connectClient(databaseUrl);
  expect((await client.query('SELECT * FROM _gateway_api_keys')).rows).toEqual([]);
});

test('workers report an unreachable database once', async () => {
  const url = new URL(inject('postgresUrl'));
  url.pathname = 'wrong';
  const address = url.searchParams.get('host');
  expect(await failedStart({ WORKERS: '3', DATABASE_URL: url.href })).toBe(
    `The database at ${address} (DATABASE_URL) cannot be used: database "wrong" does not exist.`,
  );
});
