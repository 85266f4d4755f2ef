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

test.each([
  '/graphql?query={pets{id},others:pets(after:5){id}}',
  '/graphql?query={pets(after:15000,status:sold){id},others:pets{id}}',
])(
  'GET %s begins at its place in an index, with a filter or without, and sorts nothing',
  async (url) => {
    const plan = await planOf(() => request(url));
    // Of the branches, one for each index and one for no filter, PostgreSQL executes one.
    expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/);
    expect(plan).toMatch(/One-Time Filter: .*page\.filter_\d+_0 IS NOT NULL/);
    expect(plan).toMatch(
      /Index Scan using pets_status_id_idx on pets.*\n +Index Cond: \(\(status <= page\.(filter_\d+_0)\) AND \(ROW\(status, id\) >= ROW\(page\.\1, page\.first\)\)\)/,
    );
    expect(plan).toMatch(
      /Index Scan using pets_pkey on pets.*\n +Index Cond: \(id >= page\.first\)/,
    );
  },
);

test('a single page begins at its place in the index of the ids', async () => {
  expect(await planOf(() => request('/v1/pets'))).toMatchInlineSnapshot(`
    "Aggregate
      ->  Limit
            ->  Index Scan using pets_pkey on pets
                  Index Cond: (id >= $1)
                  Filter: (id IS DISTINCT FROM $2)"
  `);
});

test.each(['/v1/pets?status=sold&limit=100', '/graphql?query={pets(after:15000,status:sold){id}}'])(
  'GET %s begins at its place in the index of its filter, and sorts nothing',
  async (url) => {
    const plan = await planOf(() => request(url));
    expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/);
    expect(plan).toMatch(
      /Index Scan using pets_status_id_idx on pets.*\n +Index Cond: \(\(status <= \$4\) AND \(ROW\(status, id\) >= ROW\(\$4, \$1\)\)\)/,
    );
  },
);

test('a single last page begins at its place in an index, and walks it backwards', async () => {
  const plan = await planOf(() =>
    request('/graphql?query={petsConnection(last:20,before:15000,status:sold){nodes{id}}}'),
  );
  expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/);
  expect(plan).toMatch(
    /Index Scan Backward using pets_status_id_idx on pets.*\n +Index Cond: \(\(status >= \$4\) AND \(ROW\(status, id\) <= ROW\(\$4, \$1\)\)\)/,
  );
});

test.each([
  '/graphql?query={petsConnection(last:20){nodes{id}},others:petsConnection(last:9){nodes{id}}}',
  '/graphql?query={petsConnection(last:20,before:15000,status:sold){nodes{id}},others:petsConnection(last:9){nodes{id}}}',
])('GET %s begins at its place in an index, and walks it backwards', async (url) => {
  const plan = await planOf(() => request(url));
  expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/);
  expect(plan).toMatch(
    /Index Scan Backward using pets_status_id_idx on pets.*\n +Index Cond: \(\(status >= page\.(filter_\d+_0)\) AND \(ROW\(status, id\) <= ROW\(page\.\1, page\.first\)\)\)/,
  );
  expect(plan).toMatch(
    /Index Scan Backward using pets_pkey on pets.*\n +Index Cond: \(id <= page\.first\)/,
  );
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
            ->  Function Scan on unnest requested
            ->  Index Scan using pets_pkey on pets found
                  Index Cond: (id = requested.id)"
  `);
});

test('PostgreSQL compiles no statement that reads, which would take longer than to run it', async () => {
  const client = new Client({ connectionString: databaseUrl, options: READ_SETTINGS });
  await client.connect();
  onTestFinished(() => client.end());
  expect((await client.query('SHOW jit')).rows).toEqual([{ jit: 'off' }]);
});
