import { expect, inject, test } from 'vitest';
import { openDatabase, type Database } from '../../src/database/client.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { firstKey, startService } from '../support/service.ts';

async function newDatabase() {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const database = openDatabase(url);
  return { url, database, [Symbol.asyncDispose]: () => database.$disconnect() };
}

/** The subjects that are counted, in order. */
async function subjectsOf(database: Database): Promise<string[]> {
  const rows = await database.rateLimitCount.findMany({ select: { policy: true, subject: true } });
  return rows.map(({ policy, subject }) => `${policy} ${subject}`).toSorted();
}

test('a service removes what has leaked away two windows ago, however much, and keeps the rest', async () => {
  await using stack = new AsyncDisposableStack();
  const store = stack.use(await newDatabase());
  // Those to keep come between the others, and after them.
  await store.database.$executeRaw`
    INSERT INTO rate_limit_counts
    SELECT policy, number::text, 1,
      now() - CASE WHEN number % 1000 = 999 THEN interval '60 s' ELSE interval '121 s' END
    FROM generate_series(1, 2999) AS number, unnest(ARRAY['key', 'failed-auth']) AS policy`;
  const env = { FAILED_AUTH_LIMIT: '60/6000s', DATABASE_URL: store.url };
  stack.use(await startService(env));
  const numbers = Array.from({ length: 2999 }, (_, index) => index + 1);
  const kept = [
    ...numbers.map((number) => `failed-auth ${number}`),
    'key 1999',
    'key 2999',
    'key 999',
  ];
  await expect.poll(() => subjectsOf(store.database), { timeout: 20_000 }).toEqual(kept.toSorted());
});

test('that nothing can be removed is told, and limits are shared nevertheless', async () => {
  await using store = await newDatabase();
  await store.database.$executeRaw`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no'; END$$`;
  await store.database.$executeRaw`
    CREATE TRIGGER refuse BEFORE DELETE ON rate_limit_counts EXECUTE FUNCTION refuse()`;
  await using service = await startService({ DATABASE_URL: store.url });
  await service.child.line('stdout', (line) =>
    line.includes('"msg":"old rate limit counts are not removed yet"'),
  );
  const headers = { Authorization: `Bearer ${await firstKey(service)}` };
  expect((await fetch(`${service.url}/v1/pets`, { headers })).status).toBe(200);
  await expect.poll(() => subjectsOf(store.database)).toEqual(['key 1']);
});
