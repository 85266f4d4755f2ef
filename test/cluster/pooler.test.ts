import { escapeIdentifier, type Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { answeredByReplicas } from '../support/measured.ts';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { connectClient } from '../support/connect-client.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { idOf, post } from '../support/stores.ts';
import { requestOf } from '../support/gateway.ts';
import { formsOf, HEALTHY_ANSWERS } from '../support/load-answers.ts';
import { startLoad } from '../support/load.ts';
import { startOutagePostgres } from '../support/embedded-postgres.ts';
import { startProviderPool, startPgBouncer, startPgpool } from '../support/poolers.ts';
import { startPrimaryAndReplica } from '../support/replicated-postgres.ts';
import { failedStart, firstKey, startPatientService, startService } from '../support/service.ts';

const postgresUrl = inject('postgresUrl');

const IGNORING = { ignore_startup_parameters: 'statement_timeout, options' };
const TRANSACTION = { pool_mode: 'transaction' };
const MODES: readonly Readonly<Record<string, string>>[] = [
  { pool_mode: 'session' },
  { pool_mode: 'session', ...IGNORING },
  TRANSACTION,
  { ...TRANSACTION, ...IGNORING },
];

/** How many times each load client sends each request. */
const ROUNDS = 20;

/** Returns the number of backends that wait for a lock. */
async function lockWaits(operator: Client): Promise<number | null> {
  const { rowCount } = await operator.query(
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  return rowCount;
}

/** Collects responses under load, and then while the statements of two requests time out. */
async function responsesThrough(databaseUrl: string, url: string, env: NodeJS.ProcessEnv = {}) {
  await using patient = await startPatientService({ ...env, DATABASE_URL: url });
  const key = await firstKey(patient);
  await using load = startLoad(patient.url, key);
  for (let round = 0; round < ROUNDS; round += 1) {
    await load.allAnswered(SUCCESS_STATUSES);
  }
  const readiness = await (await fetch(`${patient.url}/readyz`)).text();
  await load.end();

  await using service = await startService({ ...env, DATABASE_URL: url });
  const request = requestOf(service.url, key);
  const operator = await connectClient(databaseUrl);
  await operator.query('BEGIN; LOCK TABLE pets');
  const late = await Promise.all([request('/v1/pets'), request('/v1/pets?limit=1')]);
  await expect.poll(() => lockWaits(operator)).toBe(0);
  await operator.query('COMMIT');
  await expect.poll(async () => (await request('/v1/pets')).status).toBe(200);
  return {
    readiness,
    forms: formsOf(load.answers),
    faults: await load.faultsIn(databaseUrl),
    late: late.map(({ status }) => status),
  };
}

const USUAL = { readiness: 'ready\n', forms: HEALTHY_ANSWERS, faults: [], late: [503, 503] };

test.each([
  ...MODES.map((settings) => ({ settings, env: {} })),
  { settings: TRANSACTION, env: { WORKERS: '2' } },
])(
  'through PgBouncer, responses are as usual and statements that time out are cancelled: $settings $env',
  async ({ settings, env }) => {
    const databaseUrl = await createDatabase(postgresUrl, { template: TEMPLATE });
    await using bouncer = await startPgBouncer(postgresUrl, settings);
    expect(await responsesThrough(databaseUrl, bouncer.through(databaseUrl), env)).toEqual(USUAL);
  },
);

test.each(MODES)(
  'an empty database is migrated through DATABASE_DIRECT_URL, not through PgBouncer with %j',
  async (settings) => {
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
  'requests to a standby behind PgBouncer with %j get 503 until the standby is promoted',
  async (settings) => {
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
  'through a hosted pooler that rejects settings with %s, responses are as usual and late statements are cancelled',
  async (code) => {
    const databaseUrl = await createDatabase(postgresUrl, { template: TEMPLATE });
    await using pool = await startProviderPool(databaseUrl, code);
    expect(await responsesThrough(databaseUrl, pool.url)).toEqual(USUAL);
  },
);

test('the service does not start if it connects through pgpool', async () => {
  const databaseUrl = await createDatabase(postgresUrl, { template: TEMPLATE });
  await using pgpool = await startPgpool(postgresUrl);
  const url = pgpool.through(databaseUrl);
  expect(await failedStart({ DATABASE_URL: url })).toBe(
    `The database at ${new URL(url).host} (DATABASE_URL) cannot be used: it is pgpool, which may send reads to standbys that lag; bypass it, or use PgBouncer.`,
  );
});

test('if the pooler drops session settings, the service does not start and shows the SQL that fixes it', async () => {
  const databaseUrl = await createDatabase(postgresUrl, { template: TEMPLATE });
  const operator = await connectClient(databaseUrl);
  const { pathname, username } = new URL(databaseUrl);
  const database = escapeIdentifier(pathname.slice(1));
  await operator.query(`ALTER DATABASE ${database} SET TimeZone = 'Asia/Kolkata'`);
  const settings = { ...TRANSACTION, ...IGNORING };
  await using bouncer = await startPgBouncer(postgresUrl, settings);
  const env = { DATABASE_URL: bouncer.through(databaseUrl) };
  const role = escapeIdentifier(username);
  expect(await failedStart(env)).toBe(
    `The pooler in front of the database drops session settings that responses depend on: run ALTER ROLE ${role} SET TimeZone = 'UTC', then let the pooler reconnect.`,
  );
  await operator.query(`ALTER ROLE ${role} IN DATABASE ${database} SET TimeZone = 'UTC'`);
  await using reconnected = await startPgBouncer(postgresUrl, settings);
  await using service = await startPatientService({
    DATABASE_URL: reconnected.through(databaseUrl),
  });
  expect(await (await fetch(`${service.url}/readyz`)).text()).toBe('ready\n');
});

const { primary, replica } = await startPrimaryAndReplica();

test('with a pooler before the primary, replicas serve reads that see every create acknowledged earlier', async () => {
  await using bouncer = await startPgBouncer(primary.url, { ...TRANSACTION, auth_type: 'trust' });
  await using service = await startService({
    DATABASE_URL: bouncer.through(primary.url),
    DATABASE_REPLICA_URLS: replica.url,
    METRICS_PORT: '0',
  });
  const request = requestOf(service.url, await firstKey(service));
  const read = async () => {
    await request('/v1/pets');
    return answeredByReplicas(service);
  };
  await expect.poll(read).toBeGreaterThan(0);
  const before = await answeredByReplicas(service);
  const createAndRead = async () => {
    const created = await post({ request }, '/v1/pets', { name: 'Rex', categoryId: 1 });
    expect(created).toMatchObject({ status: 201 });
    const id = Number(idOf(created));
    expect((await request(`/v1/pets?after=${id - 1}`)).json).toEqual([created.json]);
    return answeredByReplicas(service);
  };
  for (let number = 1; number <= 20; number += 1) {
    await createAndRead();
  }
  // On a busy machine, a replica may be excluded for a while.
  await expect.poll(createAndRead).toBeGreaterThan(before);
});

test('a replica behind a pooler is excluded, because each statement may run on a different server', async () => {
  await using bouncer = await startPgBouncer(replica.url, {
    ...TRANSACTION,
    ...IGNORING,
    auth_type: 'trust',
  });
  await using service = await startService({
    DATABASE_URL: primary.url,
    DATABASE_REPLICA_URLS: bouncer.through(replica.url),
    METRICS_PORT: '0',
  });
  await service.child.line(
    'stdout',
    (line) => line.includes('replica excluded') && line.includes('it is a pooler'),
  );
  expect(await answeredByReplicas(service)).toBe(0);
});
