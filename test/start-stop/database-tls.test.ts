import { keys } from '../support/store-commands.ts';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { runEntry } from '../support/process.ts';
import { startRefusal } from '../support/start-refusal.ts';
import { CERTIFICATE, startTlsProxy } from '../support/database-proxy.ts';
import { newDatabase } from '../support/new-database.ts';

const databaseUrl = await newDatabase();
const { username, password, pathname } = new URL(databaseUrl);
const tlsPort = await startTlsProxy(databaseUrl);

/** Returns a URL for the TLS server, by default at localhost. Its certificate is its own authority. */
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
])('a URL with %s connects to %s over TLS', async (given, host) => {
  const env = { DATABASE_URL: overTls(given, host) };
  expect(await runInProcess(keys, ['list'], { env })).toMatchObject({ code: 0, stderr: '' });
});

test('sslmode=require does not cause a library to print a warning', async () => {
  await using command = runEntry('src/main.ts keys', {
    args: ['list'],
    env: { DATABASE_URL: overTls(`sslmode=require&${AUTHORITY}`) },
  });
  expect([await command.exit, command.stderr()]).toEqual([{ code: 0, signal: null }, '']);
});

test.each(['prefer', 'require', 'verify-ca'])(
  'sslmode=%s is treated as verify-full, and the error says so',
  async (mode) => {
    const hint = `sslmode=${mode} means verify-full here: set sslrootcert to trust a different CA, or uselibpqcompat=true to give sslmode its libpq meaning`;
    expect(await startRefusal({ databaseUrl: overTls(`sslmode=${mode}`) })).toBe(
      `The database at localhost:${tlsPort} (DATABASE_URL) cannot be used: self-signed certificate; ${hint}.`,
    );
    const elsewhere = overTls(`sslmode=${mode}&${AUTHORITY}`, '127.0.0.1');
    expect(await startRefusal({ databaseUrl: elsewhere })).toMatch(
      /cannot be used: Hostname\/IP does not match .*; sslmode=/,
    );
  },
);

const OTHER_HOST = 'the certificate must be valid for the host name in the URL';
const NO_AUTHORITY = "sslrootcert must name the file with the certificate of the server's CA";

test.each([
  [`sslmode=verify-full&${AUTHORITY}`, '127.0.0.1', OTHER_HOST],
  [`sslmode=verify-full&${AUTHORITY}&${COMPATIBLE}`, '127.0.0.1', OTHER_HOST],
  ['sslmode=verify-full', 'localhost', NO_AUTHORITY],
  ['sslmode=require&sslrootcert=system&uselibpqcompat=true', 'localhost', 'certificate'],
])(
  'connecting with %s to %s fails, and the error says what to set',
  async (parameters, host, hint) => {
    const refusal = await startRefusal({ databaseUrl: overTls(parameters, host) });
    expect(refusal).toMatch(/cannot be used/);
    expect(refusal.endsWith(`${hint}.`)).toBe(true);
  },
);

test.each([
  [`sslmode=verify-ca&${COMPATIBLE}`, 'sslmode=verify-ca needs an sslrootcert'],
  ...['sslrootcert', 'sslcert', 'sslkey'].map((name) => [
    `${name}=/no/where.pem`,
    `the file in ${name} cannot be read: ENOENT: no such file or directory, open '/no/where.pem'`,
  ]),
])('a URL with %s is rejected before connecting', async (parameters = '', reason = '') => {
  expect(await startRefusal({ databaseUrl: overTls(parameters) })).toBe(`DATABASE_URL: ${reason}`);
});

test('a server without TLS is rejected unless sslmode=disable', async () => {
  const url = overTls('sslmode=prefer').replace(String(tlsPort), String(await portOf('N')));
  expect(await startRefusal({ databaseUrl: url })).toMatch(
    /cannot be used: The server does not support SSL connections; sslmode=disable connects without encryption\.$/,
  );
});

test.each(['', 'sslmode=disable'])(
  'a server that requires TLS rejects a URL without it: %s',
  async (parameters) => {
    const port = await portOf(REFUSED);
    const url = overTls(parameters).replace(String(tlsPort), String(port));
    expect(await startRefusal({ databaseUrl: url })).toBe(
      `The database at localhost:${port} (DATABASE_URL) cannot be used: no entry; if the server requires encryption, set sslmode=verify-full.`,
    );
  },
);

/** PostgreSQL's ErrorResponse to a connection that has no matching line in pg_hba.conf. */
const FIELDS = 'SFATAL\0VFATAL\0C28000\0Mno entry\0RClientAuthentication\0\0';
const REFUSED = Buffer.from(`E\0\0\0${String.fromCodePoint(FIELDS.length + 4)}${FIELDS}`);

/** Returns the port of a server that always sends the same answer. */
const portOf = (answer: string | Buffer) =>
  listenLocally((client) => {
    client.on('error', () => undefined).once('data', () => client.end(answer));
  });
