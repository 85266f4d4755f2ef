import { startDatabase } from '../support/store-database.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { connectClient } from '../support/connect-client.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { runEntry } from '../support/process.ts';
import { startRefusal } from '../support/start-refusal.ts';
import { newDatabase } from '../support/new-database.ts';

const databaseUrl = await newDatabase();
const { username: user, password, port, pathname, searchParams } = new URL(databaseUrl);
const database = pathname.slice(1);
const folder = searchParams.get('host') ?? '';
const SERVER = `host=${folder}&port=${port}`;
const OWNER = `${user}:${password}`;
const LOGIN = `user=${user}&password=${password}`;

/** Returns the properties of the service's connections for a DATABASE_URL. */
async function connected(url: string) {
  const config = readConfig({ DATABASE_URL: url });
  const { database: store, stop } = await startDatabase(config);
  onTestFinished(stop);
  const rows = await store.$queryRaw<object[]>`
    SELECT current_user::text AS user, current_database()::text AS database,
      current_setting('plan_cache_mode') AS plans, current_setting('work_mem') AS memory,
      current_setting('statement_timeout') AS timeout`;
  return rows[0];
}

test.each([
  ['an empty host', `postgresql://${OWNER}@/${database}?${SERVER}`],
  ['an empty host and a port', `postgresql://${OWNER}@:${port}/${database}?host=${folder}`],
  ['nothing before the path', `postgres:///${database}?${SERVER}&${LOGIN}`],
  ['parameters alone', `postgresql://?dbname=${database}&${SERVER}&${LOGIN}`],
  ['an encoded folder', `postgresql://${OWNER}@${encodeURIComponent(folder)}:${port}/${database}`],
  ['each part twice', `postgresql://no:no@elsewhere:1/no?${SERVER}&${LOGIN}&dbname=${database}`],
  [
    'TLS asked for on a socket',
    `POSTGRESQL://${OWNER}@localhost:${port}/${database}?host=${folder}&sslmode=require`,
  ],
])('a URL with %s has the same meaning as in libpq', async (_form, url) => {
  expect(await connected(url)).toMatchObject({ user, database });
});

test('a password may contain any character, percent-encoded if necessary', async () => {
  const role = `role_${randomBytes(8).toString('hex')}`;
  const secret = 'a:b/c?d#e%f&g+h=i j@k[l]é🐕\\"\'';
  const client = await connectClient(databaseUrl);
  await client.query(`
    CREATE ROLE ${role} LOGIN PASSWORD '${secret.replaceAll("'", "''")}';
    GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
  const encoded = encodeURIComponent(secret);
  const at = `/${database}?host=${folder}&port=${port}`;
  for (const url of [
    `postgresql://${role}:${encoded}@${at}`,
    `postgresql://${role}@${at}&password=${encoded}`,
    `postgresql://${role}:${secret.replace('/', '%2F').replace('?', '%3F')}@${at}`,
  ]) {
    expect(await connected(url)).toMatchObject({ user: role });
  }
});

test("options are added to the service's own, and may override the plan settings but no timeout", async () => {
  const url = `${databaseUrl}&statement_timeout=1`;
  expect(await connected(`${url}&options=-c%20work_mem=5MB`)).toMatchObject({
    plans: 'force_generic_plan',
    memory: '5MB',
    timeout: '700ms',
  });
  const others = '-c+plan_cache_mode=auto+-c+statement_timeout=9000+--work_mem=6MB';
  expect(await connected(`${url}&options=${others}`)).toMatchObject({
    plans: 'auto',
    memory: '6MB',
    timeout: '700ms',
  });
});

test('parameters for Prisma and libpq that the service does not use are ignored', async () => {
  const parameters =
    'connection_limit=1&pool_timeout=1&pgbouncer=true&connect_timeout=1&target_session_attrs=any';
  expect(await connected(`${databaseUrl}&${parameters}&schema=`)).toMatchObject({ user });
});

/** Returns a port that no server can listen on: that of a client's end of a connection. */
async function unusedPort(): Promise<number> {
  const socket = connect(await listenLocally(), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  return socket.localPort ?? 0;
}

test.each([
  ['postgres://u:secret@127.0.0.1:PORT', '127.0.0.1:PORT', 'connect ECONNREFUSED 127.0.0.1:PORT.'],
  ['postgresql:///db?host=127.0.0.1&port=PORT&password=secret', '127.0.0.1:PORT', 'connect'],
  ['postgresql://u:secret@[::1]:PORT/db', '[::1]:PORT', 'connect'],
  ['postgresql://u:secret@%2Fno%2Fwhere/db', '/no/where', 'connect'],
  ['postgresql://u:secret@/db?host=/no/where', '/no/where', 'connect'],
  [
    `postgresql://${user}@/${database}?${SERVER}`,
    folder,
    'it requires a password, and none is set.',
  ],
  [
    `postgresql://${user}:secret@/${database}?${SERVER}`,
    folder,
    `password authentication failed for user "${user}".`,
  ],
  [`postgresql://${OWNER}@/wrong?${SERVER}`, folder, 'database "wrong" does not exist.'],
])(
  'startup with %s fails, and the error contains the address %s but not the password',
  async (form, at, reason) => {
    const unused = String(await unusedPort());
    const told = await startRefusal({ databaseUrl: form.replace('PORT', unused) });
    const address = at.replace('PORT', unused);
    expect(told).toContain(`The database at ${address} (DATABASE_URL) cannot be used: `);
    expect(told).toContain(`cannot be used: ${reason.replace('PORT', unused)}`);
    expect(told).not.toContain('secret');
  },
);

test('a URL without a user means the user that runs the process', async () => {
  // USER is not set, as under a supervisor.
  await using command = runEntry('src/main.ts keys', {
    args: ['list'],
    env: { DATABASE_URL: `postgresql://:secret@/${database}?${SERVER}` },
  });
  await command.exit;
  expect(command.stderr()).toContain(
    `password authentication failed for user "${userInfo().username}".`,
  );
});
