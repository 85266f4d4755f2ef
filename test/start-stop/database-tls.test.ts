import { keys } from '../support/store-commands.ts';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { runEntry } from '../support/process.ts';
import { startRefusal } from '../support/start-refusal.ts';
import { CERTIFICATE, startTlsProxy } from '../support/tls-proxy.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const { username, password, pathname } = new URL(databaseUrl);
const tlsPort = await startTlsProxy(databaseUrl);

/** A URL of the server that speaks TLS, as localhost, whose certificate is its own authority. */
function overTls(parameters: string, host = 'localhost'): string {
  return `postgresql://${username}:${password}@${host}:${tlsPort}${pathname}?${parameters}`;
}

const AUTHORITY = `sslrootcert=${CERTIFICATE}`;
const COMPATIBLE = 'uselibpqcompat=true';

test.each([
  [`sslmode=verify-full&${AUTHORITY}`, 'localhost'],
  [`sslmode=require&${AUTHORITY}`, 'localhost'],
  [AUTHORITY, 'localhost'],
  ['sslmode=no-verify', '127.0.0.1'],
  [`sslmode=prefer&${COMPATIBLE}`, '127.0.0.1'],
  [`sslmode=require&${COMPATIBLE}`, '127.0.0.1'],
  [`sslmode=require&${COMPATIBLE}&${AUTHORITY}`, '127.0.0.1'],
  [`sslmode=verify-ca&${COMPATIBLE}&${AUTHORITY}`, '127.0.0.1'],
])('%s connects to %s by TLS', async (given, host) => {
  const env = { DATABASE_URL: overTls(given, host) };
  expect(await runInProcess(keys, ['list'], { env })).toMatchObject({ code: 0, stderr: '' });
});

test('of sslmode=require no library has anything to say', async () => {
  await using command = runEntry('src/main.ts keys', {
    args: ['list'],
    env: { DATABASE_URL: overTls(`sslmode=require&${AUTHORITY}`) },
  });
  expect([await command.exit, command.stderr()]).toEqual([{ code: 0, signal: null }, '']);
});

test.each(['prefer', 'require', 'verify-ca'])(
  'sslmode=%s is verify-full, and who expected something else is told',
  async (mode) => {
    const hint = `sslmode=${mode} means verify-full here, and sslrootcert names another authority; uselibpqcompat=true gives it the meaning that it has in libpq`;
    expect(await startRefusal({ databaseUrl: overTls(`sslmode=${mode}`) })).toBe(
      `The database at localhost:${tlsPort} (DATABASE_URL) cannot be used: self-signed certificate; ${hint}.`,
    );
    const elsewhere = overTls(`sslmode=${mode}&${AUTHORITY}`, '127.0.0.1');
    expect(await startRefusal({ databaseUrl: elsewhere })).toMatch(
      /cannot be used: Hostname\/IP does not match .*; sslmode=/,
    );
  },
);

test.each([
  [`sslmode=verify-full&${AUTHORITY}`, '127.0.0.1'],
  [`sslmode=verify-full&${AUTHORITY}&${COMPATIBLE}`, '127.0.0.1'],
  ['sslmode=require&sslrootcert=system&uselibpqcompat=true', 'localhost'],
])('%s to %s does not connect', async (parameters, host) => {
  expect(await startRefusal({ databaseUrl: overTls(parameters, host) })).toMatch(/cannot be used/);
});

test('verify-ca without an authority would let in whoever has a certificate', async () => {
  const url = overTls(`sslmode=verify-ca&${COMPATIBLE}`);
  expect(await startRefusal({ databaseUrl: url })).toBe(
    'DATABASE_URL: sslmode=verify-ca needs an sslrootcert',
  );
});

test.each(['sslrootcert', 'sslcert', 'sslkey'])('a missing file of %s is told', async (name) => {
  expect(await startRefusal({ databaseUrl: overTls(`${name}=/no/where.pem`) })).toBe(
    `DATABASE_URL: the file of ${name} cannot be read: ENOENT: no such file or directory, open '/no/where.pem'`,
  );
});

test('a server without TLS is not used without it', async () => {
  const url = overTls('sslmode=prefer').replace(String(tlsPort), String(await refuseTls()));
  expect(await startRefusal({ databaseUrl: url })).toMatch(
    /cannot be used: The server does not support SSL connections\.$/,
  );
});

/** A server that has no TLS; resolves to its port. */
async function refuseTls(): Promise<number> {
  const server = createServer((client) => {
    client.on('error', () => undefined).once('data', () => client.end('N'));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
