import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { READ_SETTINGS } from '@store-gateway/data';
import { isJsonObject } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';

const { request, database, databaseUrl } = await startGateway();
// As many as make PostgreSQL choose, and a few of them sold.
await database.$executeRaw`
  INSERT INTO pets (name, category_id, status)
  SELECT 'Rex', 1, (CASE number % 100 WHEN 0 THEN 'sold' ELSE 'available' END)::pet_status
  FROM generate_series(1, 30000) AS number`;
await database.$executeRaw`ANALYZE pets`;

/** How PostgreSQL goes about the statement that a request leads to, whatever its values. */
async function planOf(act: () => Promise<unknown>): Promise<string> {
  // The service runs in this process: whatever it asks PostgreSQL goes through here.
  const spy = vi.spyOn(Client.prototype, 'query');
  await act();
  const texts = spy.mock.calls
    .map(([statement]: readonly unknown[]) =>
      isJsonObject(statement) ? String(statement['text']) : '',
    )
    .filter((text) => text.includes('pets'));
  spy.mockRestore();
  expect(texts).toHaveLength(1);

  const client = new Client({ connectionString: databaseUrl, options: READ_SETTINGS });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query<Record<string, string>>(
    `EXPLAIN (GENERIC_PLAN, COSTS OFF) ${texts.join('')}`,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

test('pages of several filters begin at their places in an index each, and nothing is sorted', async () => {
  const url = '/graphql?query={pets(after:15000,status:sold){id},others:pets{id}}';
  expect(await planOf(() => request(url))).toMatchInlineSnapshot(`
    "Append
      ->  Subquery Scan on found
            ->  Aggregate
                  ->  Limit
                        ->  Index Scan using pets_status_id_idx on pets stored
                              Index Cond: ((status = ANY (ARRAY[$1])) AND (id > $2))
      ->  Subquery Scan on found_1
            ->  Aggregate
                  ->  Limit
                        ->  Index Scan using pets_pkey on pets stored_1"
  `);
});

test('several pages with the same filter begin at their places in its index', async () => {
  const url = '/graphql?query={a:pets(status:sold){id},b:pets(status:available,limit:3){id}}';
  expect(await planOf(() => request(url))).toMatchInlineSnapshot(`
    "Nested Loop
      ->  Function Scan on parameters
      ->  Aggregate
            ->  Limit
                  ->  Index Scan using pets_status_id_idx on pets stored
                        Index Cond: (status = ANY (ARRAY[parameters.equal_0]))"
  `);
});

test('a single page begins at its place in the index of the ids', async () => {
  expect(await planOf(() => request('/v1/pets?after=7'))).toMatchInlineSnapshot(`
    "Aggregate
      ->  Limit
            ->  Index Scan using pets_pkey on pets stored
                  Index Cond: (id > $1)"
  `);
});

test.each([
  ['/v1/pets?status=sold&limit=100', '(status = ANY (ARRAY[$1]))'],
  [
    '/graphql?query={pets(after:15000,status:sold){id}}',
    '((status = ANY (ARRAY[$1])) AND (id > $2))',
  ],
])('GET %s begins at its place in the index of its filter', async (url, condition) => {
  const plan = await planOf(() => request(url));
  expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/);
  expect(plan).toContain('Index Scan using pets_status_id_idx on pets');
  expect(plan).toContain(`Index Cond: ${condition}`);
});

test('a last page begins at its place in an index, and walks it backwards', async () => {
  const url = '/graphql?query={petsConnection(last:20,before:15000,status:sold){nodes{id}}}';
  expect(await planOf(() => request(url))).toMatchInlineSnapshot(`
    "Aggregate
      ->  Limit
            ->  Index Scan Backward using pets_status_id_idx on pets stored
                  Index Cond: ((status = ANY (ARRAY[$1])) AND (id < $2))"
  `);
});

test('several last pages walk their indexes backwards', async () => {
  const url =
    '/graphql?query={petsConnection(last:20,before:15000,status:sold){nodes{id}},others:petsConnection(last:9){nodes{id}}}';
  expect(await planOf(() => request(url))).toMatchInlineSnapshot(`
    "Append
      ->  Subquery Scan on found
            ->  Aggregate
                  ->  Limit
                        ->  Index Scan Backward using pets_status_id_idx on pets stored
                              Index Cond: ((status = ANY (ARRAY[$1])) AND (id < $2))
      ->  Subquery Scan on found_1
            ->  Aggregate
                  ->  Limit
                        ->  Index Scan Backward using pets_pkey on pets stored_1"
  `);
});

test('an animal is found by its id in an index', async () => {
  expect(await planOf(() => request('/v1/pets/1'))).toMatchInlineSnapshot(`
    "Index Scan using pets_pkey on pets found
      Index Cond: (id = $1)"
  `);
});

test('several animals are found by their ids in an index', async () => {
  expect(await planOf(() => request('/graphql?query={pet(id:1){id},other:pet(id:2){id}}')))
    .toMatchInlineSnapshot(`
    "Aggregate
      ->  Nested Loop
            ->  Function Scan on unnest parameters
            ->  Index Scan using pets_pkey on pets found
                  Index Cond: (id = parameters.id)"
  `);
});

test('PostgreSQL compiles no statement that reads, which would take longer than to run it', async () => {
  const client = new Client({ connectionString: databaseUrl, options: READ_SETTINGS });
  await client.connect();
  onTestFinished(() => client.end());
  expect((await client.query('SHOW jit')).rows).toEqual([{ jit: 'off' }]);
});
