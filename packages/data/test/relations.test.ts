import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { cases, openClients } from './clients.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, pool, close } = await openClients();
afterAll(close);
await pool.query(`INSERT INTO "Author" (name, email) SELECT 'name ' || n, n || '@example.com'
  FROM generate_series(1, 70) AS n`);
await pool.query(`INSERT INTO "Book" (title, author_id, editor_id)
  SELECT 'title ' || n, n % 60 + 1, CASE WHEN n % 2 = 0 THEN n END FROM generate_series(1, 300) AS n`);
// The first page that compares two columns also asks what the database orders by.
await batched.book.findMany({ where: { title: '', authorId: 1 }, orderBy: { id: 'asc' }, take: 1 });
beforeEach(() => {
  answeredBy.length = 0;
});

const page = { orderBy: { id: 'asc' }, take: 100 } as const;
const BOOKS = ['Book.findPages', 'Author.findByIds'];

test.each<[Prisma.BookFindManyArgs, string[]]>([
  [{ ...page, include: { author: true } }, BOOKS],
  [{ ...page, include: { author: true, editor: true } }, [...BOOKS]],
  [{ ...page, select: { title: true, editor: { select: { name: true } } } }, BOOKS],
  [
    { ...page, include: { author: { include: { books: { ...page, take: 2 } } } } },
    [...BOOKS, 'Book.findPages'],
  ],
])('of a page of 100, relations cost a statement each: %j', async (args, statements) => {
  const found = await batched.book.findMany(args);
  expect(answeredBy).toEqual(statements);
  expect(found).toStrictEqual(await engine.book.findMany(args));
});

test.each<Prisma.Author$booksArgs>([
  { where: { authorId: { gt: 1 } }, orderBy: [{ authorId: 'asc' }] },
  { where: { authorId: { gt: 1 } }, orderBy: [{ authorId: 'asc' }, { id: 'asc' }] },
  { where: { authorId: {} }, orderBy: [{ authorId: 'asc' }, { id: 'asc' }] },
])('a list with a range on its own foreign key is as the engine reads it: %j', async (list) => {
  const args = { ...page, take: 3, include: { books: { ...list, take: 9 } } };
  // Rows that are equal in the order come in any.
  const read = async (client: typeof engine) =>
    (await client.author.findMany(args)).map(({ id, books }) => [
      id,
      books.toSorted((one, other) => Number(one.id - other.id)),
    ]);
  const found = await read(batched);
  expect(found).toStrictEqual(await read(engine));
  expect(found.flat(2).length).toBeGreaterThan(found.length);
});

test('nothing is read below a page without rows', async () => {
  const args = { ...page, where: { id: { gt: 1000 } }, include: { books: page } } as const;
  expect(await batched.author.findMany(args)).toEqual([]);
  expect(answeredBy).toEqual(['Author.findPages']);
});

test.each(
  cases<Prisma.AuthorFindManyArgs>([
    { ...page, include: { books: { ...page, take: 3 } } },
    { ...page, select: { id: true, books: { ...page, where: { id: { gt: 100n } }, take: 3 } } },
    { ...page, include: { books: { ...page, where: { title: 'title 7' } } } },
    { ...page, include: { books: { ...page, where: { title: 'title 7', editorId: 8 } } } },
    { ...page, include: { books: { ...page, where: { authorId: 2 } } } },
    { ...page, include: { books: { ...page, where: { authorId: 8, title: 'title 7' } } } },
    { ...page, include: { books: { ...page, where: { id: { gt: 100n, lt: 200n } } } } },
  ]),
)('a page of each row’s own costs one statement for all of them: %s', async (_text, args) => {
  const found = await batched.author.findMany(args);
  expect(answeredBy).toEqual(['Author.findPages', 'Book.findPages']);
  expect(found).toStrictEqual(await engine.author.findMany(args));
});

test('so does the end of each row’s own list', async () => {
  const books = { orderBy: { id: 'desc' }, where: { id: { lt: 200n } }, take: 3 } as const;
  const args = { ...page, include: { books } };
  const found = await batched.author.findMany(args);
  expect(answeredBy).toEqual(['Author.findPages', 'Book.findPages']);
  expect(found).toStrictEqual(await engine.author.findMany(args));
});

test.each(
  cases<Prisma.AuthorFindManyArgs>([
    // In no order, which several servers don't keep.
    ...(inject('isSharded') ? [] : [{ ...page, include: { books: true } }]),
    { ...page, include: { books: { ...page, orderBy: { title: 'desc' } } } },
    { ...page, include: { books: { ...page, where: { editorId: 8 } } } },
    { ...page, include: { edited: { ...page, take: 3 } } },
    { ...page, include: { _count: true } },
  ]),
)('the engine loads other relations: %s', async (_text, args) => {
  const found = await batched.author.findMany(args);
  expect(answeredBy).toEqual(['engine: Author.findMany']);
  expect(found).toStrictEqual(await engine.author.findMany(args));
});

test('a row that a relation misses is null, as from the engine', async () => {
  const { id } = await batched.book.create({ data: { title: 'orphan', authorId: 999 } });
  const args = { where: { id }, include: { author: true, editor: true } };
  const found = await batched.book.findUnique(args);
  expect(answeredBy).toEqual(['Book.createAll', 'Book.findByIds', 'Author.findByIds']);
  expect(found).toStrictEqual(await engine.book.findUnique(args));
});

test('a relation that is filtered by its own key is that of one row, however a UUID is written', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => batched.shelf.create({ data: {} })));
  const { id = '' } = first ?? {};
  await batched.item.create({ data: { shelfId: id } });
  await batched.item.create({ data: { shelfId: second?.id ?? '' } });
  for (const shelfId of [id, id.toUpperCase()]) {
    const items = { where: { shelfId }, orderBy: { id: 'asc' }, take: 9 } as const;
    const args = { orderBy: { id: 'asc' }, take: 9, include: { items } } as const;
    answeredBy.length = 0;
    const found = await batched.shelf.findMany(args);
    expect(answeredBy).toEqual(['Shelf.findPages', 'Item.findPages']);
    expect(found).toStrictEqual(await engine.shelf.findMany(args));
    expect(found.flatMap((shelf) => shelf.items)).toHaveLength(1);
  }
});

test.each(
  cases<Prisma.AuthorFindManyArgs>([
    { ...page, where: { name: { contains: '1' } }, include: { books: { ...page, take: 2 } } },
    { ...page, where: { OR: [{ id: 3 }, { id: 5 }] }, select: { books: { ...page, take: 2 } } },
    { ...page, skip: 3, include: { books: { ...page, where: { title: 'title 7' } } } },
  ]),
)('statements read the lists of rows that the engine found: %s', async (_text, args) => {
  const found = await batched.author.findMany(args);
  expect(answeredBy).toEqual(['engine: Author.findMany', 'Book.findPages']);
  expect(found).toStrictEqual(await engine.author.findMany(args));
});

test('statements read the lists of a single row that the engine found', async () => {
  const args = { where: { email: '3@example.com' }, include: { books: { ...page, take: 2 } } };
  const found = await batched.author.findUnique(args);
  expect(answeredBy).toEqual(['engine: Author.findUnique', 'Book.findPages']);
  expect(found).toStrictEqual(await engine.author.findUnique(args));
  answeredBy.length = 0;
  expect(await batched.author.findFirst(args)).toStrictEqual(found);
  expect(answeredBy).toEqual(['engine: Author.findFirst', 'Book.findPages']);
  expect(await batched.author.findFirst({ ...args, where: { email: 'none' } })).toBeNull();
});
