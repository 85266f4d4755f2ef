import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isJsonObject } from '../src/json.ts';
import { startGateway } from './support/gateway.ts';

const { request, graphql, database, databaseUrl } = await startGateway();
// As many as make PostgreSQL choose, and a few of them sold.
await database.$executeRaw`
  INSERT INTO pets (name, category_id, status)
  SELECT 'Rex', 1, (CASE number % 100 WHEN 0 THEN 'sold' ELSE 'available' END)::pet_status
  FROM generate_series(1, 30000) AS number`;
await database.$executeRaw`ANALYZE pets`;

/** How PostgreSQL goes about the statement that a request leads to. */
async function planOf(act: () => Promise<unknown>): Promise<string> {
  // The service runs in this process: whatever it asks PostgreSQL goes through here.
  const spy = vi.spyOn(Client.prototype, 'query');
  await act();
  const statements = spy.mock.calls
    .map(([statement]: readonly unknown[]) => (isJsonObject(statement) ? statement : {}))
    .filter(({ text }) => String(text).includes('"pets"'));
  spy.mockRestore();
  expect(statements).toHaveLength(1);
  const [{ text, values } = {}] = statements;

  const client = new Client(databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query<Record<string, string>>(
    `EXPLAIN (COSTS OFF) ${String(text)}`,
    Array.isArray(values) ? values : [],
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const ALL = `Limit
  ->  Index Scan using pets_pkey on pets`;
const IS_SOLD = "(status = ('sold'::cstring)::pet_status)";

function sold(condition: string): string {
  return `Limit
  ->  Index Scan using pets_status_id_idx on pets
        Index Cond: ${condition}`;
}

test.each([
  ['', ALL],
  ['?limit=100', ALL],
  ['?status=sold', sold(IS_SOLD)],
  ['?status=sold&limit=100', sold(IS_SOLD)],
])('GET /v1/pets%s walks an index, and sorts nothing', async (query, plan) => {
  expect(await planOf(() => request(`/v1/pets${query}`))).toBe(plan);
});

test.each([
  ['', ALL],
  ['(status: sold)', sold(IS_SOLD)],
  ['(after: 15000)', `${ALL}\n        Index Cond: (id > '15000'::bigint)`],
  ['(after: 15000, status: sold)', sold(`(${IS_SOLD} AND (id > '15000'::bigint))`)],
  ['(after: 29000, status: sold, limit: 100)', sold(`(${IS_SOLD} AND (id > '29000'::bigint))`)],
])('{ pets%s } begins at its place in an index, and sorts nothing', async (args, plan) => {
  expect(await planOf(() => graphql(`{ pets${args} { id name categoryId status } }`))).toBe(plan);
});
