import { once } from 'node:events';
import { connect } from 'node:net';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { failedStart } from '../support/service.ts';
import { startRefusal } from '../support/start-refusal.ts';

test('an address of another machine is told in one line, and the first key is left for the next start', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'));
  // An address for documentation, which no machine has (RFC 5737).
  expect(await failedStart({ DATABASE_URL: databaseUrl, HOST: '192.0.2.1' })).toBe(
    'HOST: cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL); set HOST to an address of this machine',
  );
  const client = new Client(databaseUrl);
  onTestFinished(() => client.end());
  await client.connect();
  expect((await client.query('SELECT * FROM _gateway_api_keys')).rows).toEqual([]);
});

test('a database that nobody serves is told, without its password', async () => {
  // The near end of a connection: nobody can listen there.
  const socket = connect(await listenLocally(), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  const address = `127.0.0.1:${socket.localPort}`;
  expect(await startRefusal({ databaseUrl: `postgresql://user:secret@${address}/animals` })).toBe(
    `The database at ${address} (DATABASE_URL) cannot be used: connect ECONNREFUSED ${address}.`,
  );
});

test.each([
  ['password', 'password authentication failed for user "animal_store"'],
  ['pathname', 'database "wrong" does not exist'],
] as const)('a DATABASE_URL of which the %s is wrong is told', async (part, reason) => {
  const url = new URL(inject('postgresUrl'));
  url[part] = 'wrong';
  const address = url.searchParams.get('host');
  expect(await startRefusal({ databaseUrl: url.href })).toBe(
    `The database at ${address} (DATABASE_URL) cannot be used: ${reason}.`,
  );
});
