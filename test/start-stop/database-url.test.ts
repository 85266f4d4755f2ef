import { startDatabase } from '../support/store-database.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { runEntry } from '../support/process.ts';
import { startRefusal } from '../support/start-refusal.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const { username: user, password, port, pathname, searchParams } = new URL(databaseUrl);
const database = pathname.slice(1);
const folder = searchParams.get('host') ?? '';
const SERVER = `host=${folder}&port=${port}`;
const LOGIN = `user=${user}&password=${password}`;

/** What the service's connections are like with a DATABASE_URL, read as the environment is. */
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
  ['an empty host', `postgresql://${user}:${password}@/${database}?${SERVER}`],
  [
    'an empty host and a port',
    `postgresql://${user}:${password}@:${port}/${database}?host=${folder}`,
  ],
  ['nothing before the path', `postgres:///${database}?${SERVER}&${LOGIN}`],
  ['parameters alone', `postgresql://?dbname=${database}&${SERVER}&${LOGIN}`],
  [
    'an encoded folder',
    `postgresql://${user}:${password}@${encodeURIComponent(folder)}:${port}/${database}`,
  ],
  [
    'each part twice',
    `postgresql://nobody:no@elsewhere:1/no?${SERVER}&${LOGIN}&dbname=${database}`,
  ],
  [
    'TLS asked for on a socket',
    `POSTGRESQL://${user}:${password}@localhost:${port}/${database}?host=${folder}&sslmode=require`,
  ],
])('a URL with %s is understood as libpq does', async (_form, url) => {
  expect(await connected(url)).toMatchObject({ user, database });
});

test('a password may have any character, most of them percent-encoded', async () => {
  const role = `role_${randomBytes(8).toString('hex')}`;
  const secret = 'a:b/c?d#e%f&g+h=i j@k[l]é🐕\\"\'';
  const client = new Client(databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
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

test('without a user it is that of the process', async () => {
  const url = `postgresql://:secret@/${database}?host=${folder}&port=${port}`;
  // As under a supervisor, USER is not set.
  await using command = runEntry('src/main.ts keys', {
    args: ['list'],
    env: { DATABASE_URL: url },
  });
  await command.exit;
  expect(command.stderr()).toBe(
    `keys: The database at ${folder} (DATABASE_URL) cannot be used: password authentication failed for user "${userInfo().username}".\n`,
  );
});

test('options are added to those of the service, of which they may change the plans and no timeout', async () => {
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

test('what Prisma and libpq take besides, and is of no use here, does not hinder', async () => {
  const parameters =
    'connection_limit=1&pool_timeout=1&pgbouncer=true&connect_timeout=1&target_session_attrs=any';
  expect(await connected(`${databaseUrl}&${parameters}&schema=`)).toMatchObject({ user });
});

test('a database is told by its address, whichever way the URL has it', async () => {
  // The near end of a connection: nobody can listen there.
  const socket = connect(await listenLocally(), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  const unused = socket.localPort;
  for (const [url, address] of [
    [`postgresql://u:secret@127.0.0.1:${unused}/db`, `127.0.0.1:${unused}`],
    [`postgresql:///db?host=127.0.0.1&port=${unused}&password=secret`, `127.0.0.1:${unused}`],
    [`postgresql://u:secret@[::1]:${unused}/db`, `[::1]:${unused}`],
    ['postgresql://u:secret@%2Fno%2Fwhere/db', '/no/where'],
    ['postgresql://u:secret@/db?host=/no/where', '/no/where'],
  ]) {
    const told = await startRefusal({ databaseUrl: url });
    expect(told.startsWith(`The database at ${address} (DATABASE_URL) cannot be used: `)).toBe(
      true,
    );
    expect(told).not.toContain('secret');
  }
});

test('a password that is missing is told', async () => {
  const url = `postgresql://${user}@/${database}?${SERVER}`;
  expect(await startRefusal({ databaseUrl: url })).toBe(
    `The database at ${folder} (DATABASE_URL) cannot be used: it requires a password, and none is set.`,
  );
});
