import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { READ_SETTINGS } from '@store-gateway/data';
import { isJsonObject } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';

const { request, database, databaseUrl } = await startGateway();
// Enough rows for PostgreSQL to prefer an index, a few of them sold.
await database.$executeRaw`
  INSERT INTO pets (name, category_id, status)
  SELECT 'Rex', 1, (CASE number % 100 WHEN 0 THEN 'sold' ELSE 'available' END)::pet_status
  FROM generate_series(1, 30000) AS number`;
await database.$executeRaw`ANALYZE pets`;

/** The generic plan of the one statement that a request sends to PostgreSQL. */
async function planOf(act: () => Promise<unknown>): Promise<string> {
  // The service runs in this process, so all of its statements pass through this method.
  const spy = vi.spyOn(Client.prototype, 'query');
  await act();
  const texts = spy.mock.calls
    .map(([statement]: readonly unknown[]) =>
      isJsonObject(statement) ? String(statement['text']) : '',
    )
    .filter((text) => text.includes('pets'));
  spy.mockRestore();
  expect(texts).toHaveLength(1);

  const client = await connectClient({ connectionString: databaseUrl, options: READ_SETTINGS });
  const { rows } = await client.query<Record<string, string>>(
    `EXPLAIN (GENERIC_PLAN, COSTS OFF) ${texts.join('')}`,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const OF_STATUS = 'Index Scan using pets_status_id_idx on pets';
const BACKWARD = OF_STATUS.replace('Scan', 'Scan Backward');
const CONDITION = 'status = ANY (ARRAY[$1])';

test.each<[url: string, ...parts: string[]]>([
  ['/v1/pets?after=7', 'Index Scan using pets_pkey on pets', 'Index Cond: (id > $1)'],
  ['/v1/pets?status=sold&limit=100', OF_STATUS, `Index Cond: (${CONDITION})`],
  [
    '/graphql?query={pets(after:15000,status:sold){id}}',
    OF_STATUS,
    `Index Cond: ((${CONDITION}) AND (id > $2))`,
  ],
  [
    '/graphql?query={pets(after:15000,status:sold){id},others:pets{id}}',
    OF_STATUS,
    `Index Cond: ((${CONDITION}) AND (id > $2))`,
    'Index Scan using pets_pkey on pets',
  ],
  [
    '/graphql?query={a:pets(status:sold){id},b:pets(status:available,limit:3){id}}',
    OF_STATUS,
    'Index Cond: (status = ANY (ARRAY[parameters.equal_0]))',
  ],
  [
    '/graphql?query={petsConnection(last:20,before:15000,status:sold){nodes{id}}}',
    BACKWARD,
    `Index Cond: ((${CONDITION}) AND (id < $2))`,
  ],
  [
    '/graphql?query={petsConnection(last:20,before:15000,status:sold){nodes{id}},others:petsConnection(last:9){nodes{id}}}',
    BACKWARD,
    'Index Scan Backward using pets_pkey on pets',
  ],
  ['/v1/pets/1', 'Index Scan using pets_pkey on pets', 'Index Cond: (id = $1)'],
  [
    '/graphql?query={pet(id:1){id},other:pet(id:2){id}}',
    'Index Scan using pets_pkey on pets',
    'Index Cond: (id = parameters.id)',
  ],
])('%s is planned as index scans without sorts or filters', async (url, ...parts) => {
  const plan = await planOf(() => request(url));
  expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap|Filter/);
  for (const part of parts) {
    expect(plan).toContain(part);
  }
});

test('JIT is disabled for reads', async () => {
  const client = await connectClient({ connectionString: databaseUrl, options: READ_SETTINGS });
  expect((await client.query('SHOW jit')).rows).toEqual([{ jit: 'off' }]);
});
