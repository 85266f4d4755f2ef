import { beforeEach, expect, inject, test } from 'vitest';
import { cases, openClients } from './clients.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, pool } = await openClients();
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
])('each relation of a page takes one statement: %j', async (args, statements) => {
  const found = await batched.book.findMany(args);
  expect(answeredBy).toEqual(statements);
  expect(found).toStrictEqual(await engine.book.findMany(args));
});

test.each<Prisma.Author$booksArgs>([
  { where: { authorId: { gt: 1 } }, orderBy: [{ authorId: 'asc' }] },
  { where: { authorId: { gt: 1 } }, orderBy: [{ authorId: 'asc' }, { id: 'asc' }] },
  { where: { authorId: {} }, orderBy: [{ authorId: 'asc' }, { id: 'asc' }] },
])(
  'a relation with a range of its own foreign key has the rows that the engine finds: %j',
  async (list) => {
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
  },
);

test('an empty page reads no relations', async () => {
  const args = { ...page, where: { id: { gt: 1000 } }, include: { books: page } } as const;
  expect(await batched.author.findMany(args)).toEqual([]);
  expect(answeredBy).toEqual(['Author.findPages']);
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
)('the engine reads other relations: %s', async (_text, args) => {
  const found = await batched.author.findMany(args);
  expect(answeredBy).toEqual(['engine: Author.findMany']);
  expect(found).toStrictEqual(await engine.author.findMany(args));
});

test('a missing related row is null, as in the engine', async () => {
  const { id } = await batched.book.create({ data: { title: 'orphan', authorId: 999 } });
  const args = { where: { id }, include: { author: true, editor: true } };
  const found = await batched.book.findUnique(args);
  expect(answeredBy).toEqual(['Book.createAll', 'Book.findByIds', 'Author.findByIds']);
  expect(found).toStrictEqual(await engine.book.findUnique(args));
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
