import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { connected } from '../support/migrating.ts';
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

/** Has each animal and document refused, as PostgreSQL does with this SQLSTATE, until it is called. */
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

test('on a database that has become read-only reads go on, creates are 503, and it is not ready until that is over', async () => {
  expect(await create()).toMatchObject({ status: 201 });
  const operator = await connected(databaseUrl);
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
  ['25006', 'a session that is read-only, as not all may be'],
])(
  'where a create has failed (%s) for %s it is not ready until one would work, and adds nothing to find out',
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

test('creates that are refused one after the other, by a cause that lasts, are one line of the log', async () => {
  // Another cause than of the test before: what is refused shares an error for some seconds.
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

test.each([
  ['25006', 'it takes no writes'],
  ['53100', 'its disk is full'],
  ['53200', 'it is out of memory'],
])('SQLSTATE %s, that %s, is 503', async (code) => {
  const accept = await refuseRows(code);
  expect(await create()).toMatchObject(UNAVAILABLE);
  await accept();
});
