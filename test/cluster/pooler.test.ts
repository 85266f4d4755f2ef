import { escapeIdentifier, type Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { connectClient } from '../support/connect-client.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { requestOf } from '../support/gateway.ts';
import { formsOf, HEALTHY_ANSWERS } from '../support/load-answers.ts';
import { startLoad } from '../support/load.ts';
import { startOutagePostgres } from '../support/outage-postgres.ts';
import { startPgBouncer, startPgpool } from '../support/poolers.ts';
import { startProviderPool } from '../support/provider-pool.ts';
import { failedStart, firstKey, startPatientService, startService } from '../support/service.ts';

const postgresUrl = inject('postgresUrl');

const IGNORING = { ignore_startup_parameters: 'statement_timeout, options' };
const MODES = [
  ['session', { pool_mode: 'session' }],
  ['session, ignoring startup parameters,', { pool_mode: 'session', ...IGNORING }],
  ['transaction', { pool_mode: 'transaction' }],
  ['transaction, ignoring startup parameters,', { pool_mode: 'transaction', ...IGNORING }],
] as const;

/** How often a caller of the load makes each call. */
const ROUNDS = 20;

/** How many backends of a database wait for a lock. */
async function lockWaits(operator: Client): Promise<number | null> {
  const { rowCount } = await operator.query(
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  return rowCount;
}

const HEALTHY = { readiness: 'ready\n', forms: HEALTHY_ANSWERS, faults: [] };

/** What a gateway answers under load through PgBouncer with these settings. */
async function loadThroughPgBouncer(
  settings: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv = {},
) {
  const databaseUrl = await createDatabase(postgresUrl, { template: TEMPLATE });
  await using bouncer = await startPgBouncer(postgresUrl, settings);
  const through = bouncer.through(databaseUrl);
  await using service = await startPatientService({ ...env, DATABASE_URL: through });
  await using load = startLoad(service.url, await firstKey(service));
  for (let round = 0; round < ROUNDS; round += 1) {
    await load.allAnswered(SUCCESS_STATUSES);
  }
  const readiness = await (await fetch(`${service.url}/readyz`)).text();
  await load.end();
  return { readiness, forms: formsOf(load.answers), faults: await load.faultsIn(databaseUrl) };
}

test.each(MODES)(
  'through PgBouncer in %s mode all answers under load are as without it',
  async (_mode, settings) => {
    expect(await loadThroughPgBouncer(settings)).toEqual(HEALTHY);
  },
);

test('workers, too, answer through PgBouncer in transaction mode as without it', async () => {
  const loaded = await loadThroughPgBouncer({ pool_mode: 'transaction' }, { WORKERS: '2' });
  expect(loaded).toEqual(HEALTHY);
});

test.each(MODES)(
  'through PgBouncer in %s mode a statement that takes too long is 503, and over',
  async (_mode, settings) => {
    const databaseUrl = await createDatabase(postgresUrl, { template: TEMPLATE });
    await using bouncer = await startPgBouncer(postgresUrl, settings);
    await using service = await startService({ DATABASE_URL: bouncer.through(databaseUrl) });
    const request = requestOf(service.url, await firstKey(service));
    const operator = await connectClient(databaseUrl);
    await operator.query('BEGIN; LOCK TABLE pets');
    const answers = await Promise.all([request('/v1/pets'), request('/v1/pets?limit=1')]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    await expect.poll(() => lockWaits(operator)).toBe(0);
    await operator.query('COMMIT');
    await expect.poll(async () => (await request('/v1/pets')).status).toBe(200);
  },
);

test.each(MODES)(
  'an empty database is not migrated through PgBouncer in %s mode, but by DATABASE_DIRECT_URL',
  async (_mode, settings) => {
    const databaseUrl = await createDatabase(postgresUrl);
    await using bouncer = await startPgBouncer(postgresUrl, settings);
    const url = bouncer.through(databaseUrl);
    expect(await failedStart({ DATABASE_URL: url })).toBe(
      `The database at ${new URL(url).host} must be migrated, and that does not work through a pooler: set DATABASE_DIRECT_URL to a URL of PostgreSQL itself.`,
    );
    await using service = await startService({
      DATABASE_URL: url,
      DATABASE_DIRECT_URL: databaseUrl,
    });
    const request = requestOf(service.url, await firstKey(service));
    expect(await request('/v1/pets')).toMatchObject({ status: 200, json: [] });
    const operator = await connectClient(databaseUrl);
    const { rowCount } = await operator.query(
      "SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    );
    expect(rowCount).toBe(0);
  },
);

test.each(MODES)(
  'behind PgBouncer in %s mode a standby answers nothing, and after its promotion everything',
  async (_mode, settings) => {
    await using postgres = await startOutagePostgres();
    const databaseUrl = await createDatabase(postgres.url);
    await using bouncer = await startPgBouncer(postgres.url, settings);
    await using service = await startService({
      DATABASE_URL: bouncer.through(databaseUrl),
      DATABASE_DIRECT_URL: databaseUrl,
    });
    const request = requestOf(service.url, await firstKey(service));
    expect(await request('/v1/pets')).toMatchObject({ status: 200 });
    await postgres.crash();
    await postgres.standBy();
    await postgres.start();
    const standby = await connectClient(databaseUrl);
    expect((await standby.query('SELECT pg_is_in_recovery() AS is')).rows).toEqual([{ is: true }]);
    for (const path of ['/v1/pets', '/v1/pets?limit=1', '/v1/pets/1']) {
      expect(await request(path)).toMatchObject({ status: 503 });
    }
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    await standby.query('SELECT pg_promote()');
    await expect.poll(async () => (await request('/v1/pets')).status).toBe(200);
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
  },
);

test.each(['08P01', '0A000'])(
  "through a provider's pool that refuses settings with %s all answers are as without it, and late statements end",
  async (code) => {
    const databaseUrl = await createDatabase(postgresUrl, { template: TEMPLATE });
    await using pool = await startProviderPool(databaseUrl, code);
    await using patient = await startPatientService({ DATABASE_URL: pool.url });
    const key = await firstKey(patient);
    await using load = startLoad(patient.url, key);
    await load.allAnswered(SUCCESS_STATUSES);
    await load.end();
    expect(formsOf(load.answers)).toEqual(HEALTHY_ANSWERS);
    expect(await load.faultsIn(databaseUrl)).toEqual([]);

    await using service = await startService({ DATABASE_URL: pool.url });
    const operator = await connectClient(databaseUrl);
    await operator.query('BEGIN; LOCK TABLE pets');
    expect(await requestOf(service.url, key)('/v1/pets')).toMatchObject({ status: 503 });
    await expect.poll(() => lockWaits(operator)).toBe(0);
  },
);

test('a start by way of pgpool is refused', async () => {
  const databaseUrl = await createDatabase(postgresUrl, { template: TEMPLATE });
  await using pgpool = await startPgpool(postgresUrl);
  const url = pgpool.through(databaseUrl);
  expect(await failedStart({ DATABASE_URL: url })).toBe(
    `The database at ${new URL(url).host} (DATABASE_URL) cannot be used: it is pgpool, which may send reads to standbys that lag; bypass it, or use PgBouncer.`,
  );
});

test('settings that the pooler drops are named with the statement that sets them, after which the service starts', async () => {
  const databaseUrl = await createDatabase(postgresUrl, { template: TEMPLATE });
  const operator = await connectClient(databaseUrl);
  const { pathname, username } = new URL(databaseUrl);
  const database = escapeIdentifier(pathname.slice(1));
  await operator.query(`ALTER DATABASE ${database} SET TimeZone = 'Asia/Kolkata'`);
  await using bouncer = await startPgBouncer(postgresUrl, {
    pool_mode: 'transaction',
    ...IGNORING,
  });
  const env = { DATABASE_URL: bouncer.through(databaseUrl) };
  const role = escapeIdentifier(username);
  expect(await failedStart(env)).toBe(
    `The pooler in front of the database drops session settings that responses depend on: run ALTER ROLE ${role} SET TimeZone = 'UTC', then let the pooler reconnect.`,
  );
  await operator.query(`ALTER ROLE ${role} IN DATABASE ${database} SET TimeZone = 'UTC'`);
  await using reconnected = await startPgBouncer(postgresUrl, {
    pool_mode: 'transaction',
    ...IGNORING,
  });
  await using service = await startPatientService({
    DATABASE_URL: reconnected.through(databaseUrl),
  });
  expect(await (await fetch(`${service.url}/readyz`)).text()).toBe('ready\n');
});
