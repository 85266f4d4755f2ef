import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { processesNaming } from '../support/process-list.ts';
import { failedStart } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A server on a port of its own, until the test is over. */
async function listening(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  return portOf(server.address());
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

test('a port in use is told, and the PostgreSQL that was made for this start ends with it', async () => {
  await using data = await temporaryDirectory();
  const port = await listening();
  expect(await failedStart({ DATA_DIR: data.path, PORT: String(port) })).toBe(
    `PORT: 127.0.0.1:${port} is in use already; set PORT to a free one`,
  );
  expect(await processesNaming(data.path)).toEqual([]);
  // What can be used the next time is all that there is: no lock, no draft.
  expect((await readdir(data.path)).filter((name) => !name.startsWith('postgresql-'))).toEqual([
    'postgres',
  ]);
  expect(await readdir(join(data.path, 'postgres', 'cluster'))).not.toContain('postmaster.pid');
  expect((await readdir(join(data.path, 'postgres'))).toSorted()).toEqual([
    'cluster',
    'log',
    'password',
  ]);
});

test('an address of another machine is told, and the first key is left for the next start', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'));
  // An address for documentation, which no machine has (RFC 5737).
  expect(await failedStart({ DATABASE_URL: databaseUrl, HOST: '192.0.2.1' })).toBe(
    'HOST: cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL); set HOST to an address of this machine',
  );
  const client = new Client(databaseUrl);
  onTestFinished(() => client.end());
  await client.connect();
  expect((await client.query('SELECT * FROM api_keys')).rows).toEqual([]);
});

test('a database that nobody serves is told, without its password', async () => {
  // The near end of a connection: nobody can listen there.
  const socket = connect(await listening(), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  const address = `127.0.0.1:${socket.localPort}`;
  expect(await failedStart({ DATABASE_URL: `postgresql://user:secret@${address}/animals` })).toBe(
    `The database at ${address} (DATABASE_URL) cannot be used: connect ECONNREFUSED ${address}.`,
  );
});

test('a database that takes connections and does not answer is told', async () => {
  await using proxy = await startDatabaseProxy(await createDatabase(inject('postgresUrl')));
  proxy.hold();
  expect(await failedStart({ DATABASE_URL: proxy.url })).toBe(
    `The database at ${new URL(proxy.url).host} (DATABASE_URL) cannot be used: Query read timeout.`,
  );
});

test.each([
  ['password', 'password authentication failed for user "animal_store"'],
  ['pathname', 'database "wrong" does not exist'],
] as const)('a DATABASE_URL of which the %s is wrong is told', async (part, reason) => {
  const url = new URL(inject('postgresUrl'));
  url[part] = 'wrong';
  const address = url.searchParams.get('host');
  expect(await failedStart({ DATABASE_URL: url.href })).toBe(
    `The database at ${address} (DATABASE_URL) cannot be used: ${reason}.`,
  );
});

test('a database that a newer version has migrated is told', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const client = new Client(databaseUrl);
  onTestFinished(() => client.end());
  await client.connect();
  await client.query(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
    VALUES ('1', '', '20990101000000_newer', now())`);
  expect(await failedStart({ DATABASE_URL: databaseUrl })).toBe(
    'The database has migrations that this version does not know (20990101000000_newer); start the version that wrote them, or a newer one.',
  );
});

test('wrong environment variables are all told at once, and no password', async () => {
  const env = { PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://u:secret@h/db', HOST: 'a b' };
  expect(await failedStart(env)).toBe(
    [
      'PORT must be an integer between 0 and 65535, not "x"',
      'HOST must be an address or a host name, not "a b"',
      'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
    ].join('; '),
  );
});
