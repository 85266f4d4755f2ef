import {
  array,
  assert,
  asyncProperty,
  bigInt,
  constantFrom,
  integer,
  oneof,
  record,
} from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { callEngine } from '../src/prisma-internals.ts';
import { modelOf, openClients } from './clients.ts';

const { engine, batched, answeredBy, pool } = await openClients();
await pool.query(`INSERT INTO "Author" (name, email) SELECT n, n || '@example.com'
  FROM generate_series(1, 8) AS n`);
await pool.query(`INSERT INTO "Book" (title, author_id, editor_id)
  SELECT CASE WHEN n % 3 = 0 THEN 'rare' ELSE 'common' END, n % 7 + 1, nullif(n % 4, 0)
  FROM generate_series(1, 120) AS n`);

/** The columns that each index of books has before the id. */
const INDEXED = modelOf('Book').indexes.map(({ fields }) =>
  fields.slice(0, -1).map(({ field }) => field),
);

/** Whether one index has the rows that equal something in these columns, in the order of their ids. */
const isIndexed = (columns: readonly string[]): boolean =>
  INDEXED.some((index) => new Set(index).symmetricDifference(new Set(columns)).size === 0);

const cursor = oneof(
  { weight: 9, arbitrary: bigInt({ min: 0n, max: 130n }) },
  constantFrom(-(2n ** 63n), 2n ** 63n - 1n),
);
const byId = record({ id: constantFrom('asc', 'desc') });
const order = { orderBy: oneof(byId, array(byId, { minLength: 1, maxLength: 1 })) };
const take = integer({ min: 1, max: 9 });
const page = record(
  {
    ...order,
    take,
    where: record(
      {
        title: constantFrom('common', 'rare'),
        authorId: integer({ min: 1, max: 8 }),
        editorId: integer({ min: 1, max: 3 }),
        id: record({ gt: cursor, lt: cursor }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    select: constantFrom(null, { title: true }, { title: true, authorId: true, id: false }),
  },
  { requiredKeys: ['orderBy', 'take'] },
);

/** Compares what statements and the engine find. @returns what has answered */
async function answersOf(model: string, args: object): Promise<string[]> {
  answeredBy.length = 0;
  const found = await callEngine(batched, model, 'findMany', args);
  const names = answeredBy.filter((name) => !name.endsWith('.findOrder'));
  expect(found).toStrictEqual(await callEngine(engine, model, 'findMany', args));
  return names;
}

test('a page between any ids, alone or of each row of a page, is read by a statement if an index has its columns', async () => {
  await assert(
    asyncProperty(page, async (books) => {
      const columns = Object.keys(books.where ?? {}).filter((name) => name !== 'id');
      expect(await answersOf('book', books)).toEqual(
        isIndexed(columns) ? ['Book.findPages'] : ['engine: Book.findMany'],
      );
      const authors = { orderBy: { id: 'asc' }, take: 8, include: { books } };
      expect(await answersOf('author', authors)).toEqual(
        isIndexed([...columns, 'authorId'])
          ? ['Author.findPages', 'Book.findPages']
          : ['engine: Author.findMany'],
      );
    }),
    propertyRuns(100),
  );
});

test('pages of given ids are read by statements', async () => {
  const id = record(
    { in: array(cursor, { maxLength: 12 }), gt: cursor, lt: cursor },
    { requiredKeys: ['in'] },
  );
  await assert(
    asyncProperty(record({ ...order, take, where: record({ id }) }), async (args) => {
      expect(await answersOf('book', args)).not.toContain(expect.stringMatching(/^engine/));
    }),
    propertyRuns(100),
  );
});
