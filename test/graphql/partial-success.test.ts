import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { connected } from '../support/migrating.ts';

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';
const UNAVAILABLE = { code: 'SERVICE_UNAVAILABLE', status: 503 };

const gateway = await startGateway();
const { database, tables, databaseUrl, key, post, url } = gateway;
await post('/v1/pets', { name: 'Rex', categoryId: 1 });

const send = ({ request }: Pick<Gateway, 'request'>, query: string, accept = RESPONSE_TYPE) =>
  request('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': JSON_TYPE, Accept: accept },
    body: JSON.stringify({ query }),
  });
const failure = (extensions: object) => [expect.objectContaining({ extensions }) as unknown];
const NOT_FOUND = failure({ code: 'NOT_FOUND', status: 404 });

test.each([
  ['{ pet(id: 0) { id } pets { name } }', { pet: null, pets: [{ name: 'Rex' }] }, NOT_FOUND],
  ['{ pet(id: 0) { id } }', { pet: null }, NOT_FOUND],
  ['{ pets(limit: 0) { id } }', null, [expect.objectContaining({ path: ['pets'] }) as unknown]],
])(
  '%s is 294, however it is executed, and 200 in application/json',
  async (query, data, errors) => {
    // The third time by a compiled program.
    for (let time = 1; time <= 3; time += 1) {
      const { status, headers, json } = await send(gateway, query);
      expect([status, json]).toEqual([294, { errors, data }]);
      expect(headers.get('Content-Type')).toBe(`${RESPONSE_TYPE}; charset=utf-8`);
      expect(await send(gateway, query, JSON_TYPE)).toMatchObject({ status: 200, json: { data } });
    }
    const hash = 'f'.repeat(64);
    const stored = { hash, document: query };
    await tables.trustedDocument.upsert({ where: { hash }, create: stored, update: stored });
    const other = await startGateway({ databaseUrl });
    const answer = await other.request(`/graphql?documentId=${hash}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: RESPONSE_TYPE },
    });
    expect([answer.status, answer.json]).toEqual([294, { errors, data }]);
  },
);

test('294 has its reason phrase', async () => {
  const headers = { Authorization: `Bearer ${key}`, Accept: RESPONSE_TYPE };
  const { status, statusText } = await fetch(`${url}/graphql?query={pet(id:0){id}}`, { headers });
  expect([status, statusText]).toEqual([294, 'Partial Success']);
});

const CREATE = 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }';

test('a fault of the service beside data is 294, and may be retried', async () => {
  await database.$executeRaw`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no animals' USING ERRCODE = '53100'; END $$`;
  await database.$executeRaw`
    CREATE TRIGGER refuse BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION refuse()`;
  const partial = await send(gateway, CREATE);
  expect([partial.status, partial.json]).toEqual([
    294,
    { errors: failure(UNAVAILABLE), data: { createPet: null } },
  ]);
  expect(partial.headers.get('Retry-After')).toBe('1');
  // As before: its status says so.
  const legacy = await send(gateway, CREATE, JSON_TYPE);
  expect([legacy.status, legacy.json]).toEqual([503, { errors: failure(UNAVAILABLE) }]);
  await database.$executeRaw`DROP FUNCTION refuse CASCADE`;
});

test('an operation without a result in time is 503', async () => {
  const impatient = await startGateway({ requestTimeout: 500 });
  await send(impatient, '{ __typename }');
  const locking = await connected(impatient.databaseUrl);
  await locking.query('BEGIN; LOCK TABLE pets');
  const { status, headers, json } = await send(impatient, '{ pets { id } }');
  await locking.query('ROLLBACK');
  expect([status, headers.get('Retry-After'), json]).toEqual([
    503,
    '1',
    { errors: failure(UNAVAILABLE) },
  ]);
});

test('who may not call is 401, who calls too often 429, in the media type that was asked for', async () => {
  const limited = await startGateway({ rateLimit: { quota: 1, windowSeconds: 3600 } });
  const { key: unknown } = await createKey(database, { name: 'of another store' });
  const headers = { Authorization: `Bearer ${unknown}`, Accept: RESPONSE_TYPE };
  const refused = await limited.request('/graphql?query={__typename}', { headers });
  expect((await send(limited, '{ __typename }')).status).toBe(200);
  const tooMany = await send(limited, '{ __typename }');
  for (const [{ status, headers: told, json }, code, its] of [
    [refused, 'UNAUTHENTICATED', 401],
    [tooMany, 'TOO_MANY_REQUESTS', 429],
  ] as const) {
    expect([status, json]).toEqual([its, { errors: failure({ code, status: its }) }]);
    expect(told.get('Content-Type')).toBe(`${RESPONSE_TYPE}; charset=utf-8`);
  }
});
