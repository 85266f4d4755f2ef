import { expect, inject, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { failedStart } from '../support/service.ts';
import { emptyDatabase } from '../support/new-database.ts';

/* failedStart expects one line on stderr, nothing else, and the exit code 1. */

test('workers report a port in use once, and leave the first key for the next start', async () => {
  const databaseUrl = await emptyDatabase();
  const port = await listenLocally();
  expect(await failedStart({ WORKERS: '3', DATABASE_URL: databaseUrl, PORT: String(port) })).toBe(
    `PORT: 127.0.0.1:${port} is already in use; set PORT to a free port`,
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
