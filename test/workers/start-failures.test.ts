import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { failedStart } from '../support/service.ts';

/* failedStart expects one line on stderr, nothing else, and the exit code 1. */

test('a port that is in use is told once, and the first key is left for the next start', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'));
  const port = await listenLocally();
  expect(await failedStart({ WORKERS: '3', DATABASE_URL: databaseUrl, PORT: String(port) })).toBe(
    `PORT: 127.0.0.1:${port} is already in use; set PORT to a free one`,
  );
  const client = new Client(databaseUrl);
  onTestFinished(() => client.end());
  await client.connect();
  expect((await client.query('SELECT * FROM _gateway_api_keys')).rows).toEqual([]);
});

test('a database that cannot be reached is told once', async () => {
  const url = new URL(inject('postgresUrl'));
  url.pathname = 'wrong';
  const address = url.searchParams.get('host');
  expect(await failedStart({ WORKERS: '3', DATABASE_URL: url.href })).toBe(
    `The database at ${address} (DATABASE_URL) cannot be used: database "wrong" does not exist.`,
  );
});
