import { expect, onTestFinished, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { connectClient } from '../support/connect-client.ts';

const AWAY = 'The service cannot reach its database right now. Please try again.';
const SLOW = 'The database took too long to respond. Please try again.';

const PATIENT_MS = 20_000;
const IMPATIENT_MS = 300;

const databaseUrl = await newDatabase();
const proxy = await startDatabaseProxy(databaseUrl);

/** Blocks every statement that reads animals until they are unlocked or the test is over. */
async function lockAnimals() {
  const operator = await connectClient(databaseUrl);
  await operator.query('BEGIN');
  await operator.query('LOCK TABLE pets IN ACCESS EXCLUSIVE MODE');
  return {
    unlock: () => operator.query('ROLLBACK'),
    waiting: async () => {
      const { rowCount } = await operator.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rowCount;
    },
  };
}

async function expectTooSlow({ request }: Gateway): Promise<void> {
  const answers = await Promise.all([request('/v1/pets'), request('/graphql?query={pets{id}}')]);
  expect(answers).toMatchObject([
    { status: 503, json: { code: 'SERVICE_UNAVAILABLE', message: SLOW } },
    {
      status: 503,
      json: { errors: [{ message: SLOW, extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
    },
  ]);
}

const statementTimeout = { connection: PATIENT_MS, statement: IMPATIENT_MS };

async function holdAnswers(): Promise<void> {
  proxy.hold();
  onTestFinished(proxy.letGo);
}

test.each([
  ['a statement timeout', { databaseUrl, databaseTimeouts: statementTimeout }, lockAnimals],
  [
    'an unresponsive database server',
    { databaseUrl: proxy.url, databaseTimeouts: statementTimeout },
    holdAnswers,
  ],
  ['a request timeout', { databaseUrl, requestTimeout: IMPATIENT_MS }, lockAnimals],
])('%s causes a 503: the database took too long', async (_what, options, disturb) => {
  const gateway = await startGateway(options);
  expect((await gateway.request('/v1/pets/0')).status).toBe(404);
  await disturb();
  await expectTooSlow(gateway);
});

test('a connection that cannot be opened in time causes a 503: the database took too long', async () => {
  const { request } = await startGateway({
    databaseUrl: proxy.url,
    databaseTimeouts: { connection: IMPATIENT_MS, statement: PATIENT_MS },
  });
  expect((await request('/v1/pets/0')).status).toBe(404);
  proxy.holdAll();
  onTestFinished(proxy.letGo);
  proxy.cutAll();
  // The first requests may still be given a lost connection.
  await expect
    .poll(async () => (await request('/v1/pets')).text)
    .toBe(errorBody(503, 'SERVICE_UNAVAILABLE', SLOW));
});

test('a request that does not get a connection in time returns 503: the database took too long', async () => {
  const gateway = await startGateway({
    databaseUrl,
    // One of the connections is for reads.
    poolSize: 4,
    databaseTimeouts: { connection: 2000, statement: PATIENT_MS },
  });
  expect((await gateway.request('/v1/pets/0')).status).toBe(404);
  const { unlock, waiting } = await lockAnimals();
  const first = gateway.request('/v1/pets?limit=1');
  await expect.poll(waiting).toBe(1);
  await expectTooSlow(gateway);
  await unlock();
  expect((await first).status).toBe(200);
});

test("a lost connection causes a 503: the database can't be reached", async () => {
  const gateway = await startGateway({ databaseUrl: proxy.url });
  expect((await gateway.request('/v1/pets/0')).status).toBe(404);
  await holdAnswers();
  const answer = gateway.request('/v1/pets');
  await proxy.holding();
  proxy.cutAll();
  expect((await answer).text).toBe(errorBody(503, 'SERVICE_UNAVAILABLE', AWAY));
});
