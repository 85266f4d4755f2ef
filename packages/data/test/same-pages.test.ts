import { array, assert, asyncProperty, bigInt, constantFrom, integer, record } from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { openClients } from './clients.ts';

const { engine, batched, answeredBy, pool, close } = await openClients();
afterAll(close);
await pool.query(`INSERT INTO "Author" (name, email) SELECT n, n || '@example.com'
  FROM generate_series(1, 8) AS n`);
await pool.query(`INSERT INTO "Book" (title, author_id, editor_id)
  SELECT CASE WHEN n % 3 = 0 THEN 'rare' ELSE 'common' END, n % 7 + 1, nullif(n % 4, 0)
  FROM generate_series(1, 120) AS n`);

const cursor = bigInt({ min: 0n, max: 130n });
const page = record({
  orderBy: record({ id: constantFrom('asc', 'desc') }),
  take: integer({ min: 1, max: 9 }),
  where: record(
    {
      title: constantFrom('common', 'rare'),
      authorId: integer({ min: 1, max: 8 }),
      editorId: integer({ min: 1, max: 3 }),
      id: record({ gt: cursor, lt: cursor }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  ),
});

test('pages by any columns, between any ids, have the same rows, also those of relations', async () => {
  let byStatement = 0;
  await assert(
    asyncProperty(page, page, async (args, books) => {
      const lists = { orderBy: { id: 'asc' }, take: 8, include: { books } } as const;
      answeredBy.length = 0;
      const found = await Promise.all([
        batched.book.findMany(args),
        batched.author.findMany(lists),
      ]);
      byStatement += answeredBy.filter((name) => !name.startsWith('engine')).length;
      expect(found).toStrictEqual([
        await engine.book.findMany(args),
        await engine.author.findMany(lists),
      ]);
    }),
    propertyRuns(100),
  );
  expect(byStatement).toBeGreaterThan(0);
});

test('rows of some ids are the same, and read in the batch of single ones', async () => {
  const some = record({
    orderBy: record({ id: constantFrom('asc', 'desc') }),
    take: integer({ min: 1, max: 9 }),
    where: record({
      id: record(
        { in: array(cursor, { maxLength: 12 }), gt: cursor, lt: cursor },
        { requiredKeys: ['in'] },
      ),
    }),
  });
  await assert(
    asyncProperty(some, async (args) => {
      answeredBy.length = 0;
      const found = await batched.book.findMany(args);
      expect(answeredBy).not.toContain(expect.stringMatching(/^engine/));
      expect(found).toStrictEqual(await engine.book.findMany(args));
    }),
    propertyRuns(100),
  );
});
