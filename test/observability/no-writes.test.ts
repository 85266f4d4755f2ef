import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { connectClient } from '../support/connect-client.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';

const gateway = await startMeasuredGateway();
const { database, databaseUrl, log, request, post, graphql, toldOf } = gateway;

const readiness = async () => (await fetch(`${gateway.url}/readyz`)).text();
const create = () => post('/v1/pets', { name: 'Rex', categoryId: 1 });
const NO_WRITES = 'not ready: the database rejects writes\n';

const UNAVAILABLE = {
  status: 503,
  text: errorBody(
    503,
    'SERVICE_UNAVAILABLE',
    'The service cannot reach its database right now. Please try again.',
  ),
};

/** Makes inserts of animals and documents fail with this SQLSTATE. @returns a function that undoes this */
async function refuseRows(code: string) {
  await database.$executeRawUnsafe(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no animals' USING ERRCODE = '${code}'; END $$`);
  for (const table of ['pets', '_gateway_trusted_documents']) {
    await database.$executeRawUnsafe(
      `CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
  }
  return () => database.$executeRaw`DROP FUNCTION refuse CASCADE`;
}

test('while the database is read-only, reads succeed, creates return 503 and readiness is false', async () => {
  expect(await create()).toMatchObject({ status: 201 });
  const operator = await connectClient(databaseUrl);
  const { rows } = await operator.query<{ name: string }>('SELECT current_database() AS name');
  const name = rows[0]?.name;
  await operator.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await operator.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await expect.poll(readiness).toBe(NO_WRITES);
  expect(await toldOf('animal_store_ready')).toEqual({ '': 0 });
  expect(await create()).toMatchObject(UNAVAILABLE);
  const { status, json } = await graphql(
    'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }',
  );
  expect([status, json]).toMatchObject([
    503,
    { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
  ]);
  expect((await request('/v1/pets')).status).toBe(200);
  expect(await readiness()).toBe(NO_WRITES);

  await operator.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await expect.poll(readiness).toBe('ready\n');
  expect(await toldOf('animal_store_ready')).toEqual({ '': 1 });
  await expect.poll(async () => (await create()).status).toBe(201);
});

test.each([
  ['53100', 'a full disk'],
  ['25006', 'a read-only session'],
])(
  'after a create fails (%s) for %s, readiness is false until a write would succeed',
  async (code) => {
    const before = await request('/v1/pets');
    expect(await readiness()).toBe('ready\n');
    const accept = await refuseRows(code);
    expect(await create()).toMatchObject(UNAVAILABLE);
    await expect.poll(readiness).toBe(NO_WRITES);
    expect((await request('/v1/pets')).text).toBe(before.text);
    await accept();
    await expect.poll(readiness).toBe('ready\n');
    expect((await request('/v1/pets')).text).toBe(before.text);
  },
);

test('consecutive creates that fail for the same reason share one log line', async () => {
  // Use a different SQLSTATE from the test before, because rejected creates share an error for some seconds.
  const accept = await refuseRows('53100');
  await create();
  const lineOf = async (id: string | null): Promise<unknown> =>
    JSON.parse(
      await log.line((line) => line.includes(`"requestId":"${id}"`) && line.includes('durationMs')),
    );
  const told = log.text().split('"msg":"SERVICE_UNAVAILABLE"').length;
  const { headers } = await create();
  const line = await lineOf(headers.get('X-Request-Id'));
  expect(line).toMatchObject({ status: 503, errorLoggedUnder: expect.any(String) as unknown });
  expect(log.text().split('"msg":"SERVICE_UNAVAILABLE"')).toHaveLength(told);
  await accept();
});

test('a create that fails because the database is out of memory (53200) returns 503', async () => {
  const accept = await refuseRows('53200');
  expect(await create()).toMatchObject(UNAVAILABLE);
  await accept();
});
