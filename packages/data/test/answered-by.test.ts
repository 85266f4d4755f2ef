import { beforeEach, expect, inject, test } from 'vitest';
import { cases, openClients } from './clients.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, answeredCalls, pool } = await openClients();
await pool.query(`INSERT INTO "Author" (name, email) SELECT 'name ' || n, n || '@example.com'
  FROM generate_series(1, 70) AS n`);
await pool.query(`INSERT INTO "Book" (title, author_id, editor_id)
  SELECT 'title ' || n, n % 60 + 1, CASE WHEN n % 2 = 0 THEN n END FROM generate_series(1, 300) AS n`);
// The first page that compares two columns also queries the database's sort order.
await batched.book.findMany({ where: { title: '', authorId: 1 }, orderBy: { id: 'asc' }, take: 1 });
beforeEach(() => {
  answeredBy.length = 0;
  answeredCalls.length = 0;
});

const byId = { orderBy: { id: 'asc' }, take: 5 } as const;

test.each(
  cases<Prisma.BookFindManyArgs | undefined>([
    undefined,
    {},
    { orderBy: { id: 'asc' } },
    { ...byId, orderBy: [{ id: 'asc' }, { title: 'asc' }] },
    { ...byId, orderBy: { title: 'desc' }, where: { title: { not: 'title 3' } }, skip: 3 },
    { ...byId, skip: 3 },
    { ...byId, take: -3 },
    { ...byId, take: 0 },
    { ...byId, cursor: { id: 7n } },
    { ...byId, distinct: ['authorId'] },
    { ...byId, omit: { title: true } },
    { ...byId, where: { editorId: 8 } },
    { ...byId, where: { authorId: 2, editorId: null } },
    { ...byId, where: { id: 3n } },
    { ...byId, where: { OR: [{ id: 3n }, { authorId: 3 }] } },
    { ...byId, where: { author: { name: 'name 1' } } },
    { ...byId, include: { author: { omit: { name: true } } } },
  ]),
)("Prisma's engine runs findMany(%s)", async (_text, args) => {
  // Without an orderBy, shards return rows in any order.
  const ordered = (rows: readonly object[]) => (args?.orderBy === undefined ? new Set(rows) : rows);
  const found = await batched.book.findMany(args);
  expect(answeredBy).toEqual(['engine: Book.findMany']);
  expect(ordered(found)).toStrictEqual(ordered(await engine.book.findMany(args)));
});

test("a statement runs findUnique by id; Prisma's engine runs it by other unique columns or conditions", async () => {
  const where = { id: 3 };
  const found = await batched.author.findUnique({ where });
  const selected = await batched.author.findUniqueOrThrow({ where, select: { name: true } });
  expect(await batched.author.findUnique({ where: { id: 99 } })).toBeNull();
  expect(answeredBy).toEqual(Array.from({ length: 3 }).fill('Author.findByIds'));
  expect(found).toStrictEqual(await engine.author.findUnique({ where }));
  expect(selected).toStrictEqual({ name: found?.name });
  answeredBy.length = 0;
  expect(await batched.author.findUnique({ where: { email: '3@example.com' } })).toEqual(found);
  expect(await batched.author.findUnique({ where: { id: 3, name: { not: '' } } })).toEqual(found);
  expect(await batched.author.findFirst({ where })).toEqual(found);
  expect(await batched.author.findUnique({ where }).books({ take: 1 })).toHaveLength(1);
  expect(answeredBy.every((name) => name.startsWith('engine: '))).toBe(true);
});

test('each findUnique in a batch applies its own conditions', async () => {
  const asked: readonly Prisma.BookWhereUniqueInput[] = [
    { id: 1n },
    { id: 1n, authorId: 2 },
    { id: 2n, authorId: 2 },
    { id: 2n, authorId: { in: [2, 3] } },
    { id: 3n, authorId: { in: [1, 3] } },
    { authorId: 4, id: 3n, title: 'title 3' },
    { id: 3n, title: { in: ['title 3', 'title 4'] }, authorId: 4 },
    { id: 3n, title: 'title 4', authorId: 4 },
    { id: 99n, authorId: 4 },
  ];
  const found = await Promise.all(asked.map((where) => batched.book.findUnique({ where })));
  expect(new Set(answeredBy)).toEqual(new Set(['Book.findByIds']));
  expect(found).toStrictEqual(
    await Promise.all(asked.map((where) => engine.book.findUnique({ where }))),
  );
});

test('onAnswer reports only the calls that batched statements run', async () => {
  const unread = batched.book.findMany(byId);
  expect(answeredCalls).toEqual([]);
  await unread;
  await batched.author.findUnique({ where: { id: 3 }, include: { books: byId } });
  const author = await batched.author.create({ data: { name: 'told', email: 'told@example.com' } });
  expect(answeredCalls).toEqual(['Book.findMany', 'Author.findUnique', 'Author.create']);
  answeredCalls.length = 0;
  await expect(batched.author.delete({ where: { id: 9999 } })).rejects.toThrow('No record');
  expect(answeredCalls).toEqual(['Author.delete']);
  answeredCalls.length = 0;
  await batched.book.findMany({ where: { title: 'title 3' } });
  await batched.book.count();
  await expect(batched.author.create({ data: author })).rejects.toMatchObject({ code: 'P2002' });
  expect(answeredCalls).toEqual([]);
});

test("Prisma's engine runs queries with conditions on JSON, even if an index covers them", async () => {
  const { id } = await batched.allDefaults.create({ data: { json: { a: 1 } } });
  const where = { json: { equals: { a: 1 } } };
  expect(
    await batched.allDefaults.findMany({ where, orderBy: { id: 'asc' }, take: 9 }),
  ).toMatchObject([{ id }]);
  expect(answeredBy.at(-1)).toBe('engine: AllDefaults.findMany');
});

test("Prisma's engine creates rows whose id type PostgreSQL normalizes", async () => {
  const created = await Promise.all(
    ['abc  ', 'b'].map((id) => batched.withVarcharId.create({ data: { id } })),
  );
  expect(created.map(({ id }) => id)).toEqual(['abc', 'b']);
});

test("Prisma's engine runs all calls to models that statements don't support", async () => {
  await batched.listed.create({ data: { tags: ['a', 'b'] } });
  await batched.pair.create({ data: { left: 1, right: 2 } });
  expect(await batched.listed.findUnique({ where: { id: 1 } })).toEqual({
    id: 1,
    tags: ['a', 'b'],
  });
  expect(answeredBy).toEqual([
    'engine: Listed.create',
    'engine: Pair.create',
    'engine: Listed.findUnique',
  ]);
});

const page = { ...byId, take: 100 } as const;
const BOOKS = ['Book.findPages', 'Author.findByIds'];

test.each<[Prisma.BookFindManyArgs, string[]]>([
  [{ ...page, include: { author: true } }, BOOKS],
  [{ ...page, include: { author: true, editor: true } }, [...BOOKS]],
  [{ ...page, select: { title: true, editor: { select: { name: true } } } }, BOOKS],
  [
    { ...page, include: { author: { include: { books: { ...page, take: 2 } } } } },
    [...BOOKS, 'Book.findPages'],
  ],
])('each relation of a page is read with one statement: %j', async (args, statements) => {
  const found = await batched.book.findMany(args);
  expect(answeredBy).toEqual(statements);
  expect(found).toStrictEqual(await engine.book.findMany(args));
});

test.each<Prisma.Author$booksArgs>([
  { where: { authorId: { gt: 1 } }, orderBy: [{ authorId: 'asc' }] },
  { where: { authorId: { gt: 1 } }, orderBy: [{ authorId: 'asc' }, { id: 'asc' }] },
  { where: { authorId: {} }, orderBy: [{ authorId: 'asc' }, { id: 'asc' }] },
])(
  "a relation filtered by a range of its foreign key has the same rows as with Prisma's engine: %j",
  async (list) => {
    const args = { ...page, take: 3, include: { books: { ...list, take: 9 } } };
    // Rows that tie in the sort order may come in any order.
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

test('no relations are read for an empty page', async () => {
  const args = { ...page, where: { id: { gt: 1000 } }, include: { books: page } } as const;
  expect(await batched.author.findMany(args)).toEqual([]);
  expect(answeredBy).toEqual(['Author.findPages']);
});

test.each(
  cases<Prisma.AuthorFindManyArgs>([
    // Has no orderBy, so shards return rows in any order.
    ...(inject('isSharded') ? [] : [{ ...page, include: { books: true } }]),
    { ...page, include: { books: { ...page, orderBy: { title: 'desc' } } } },
    { ...page, include: { books: { ...page, where: { editorId: 8 } } } },
    { ...page, include: { edited: { ...page, take: 3 } } },
    { ...page, include: { _count: true } },
  ]),
)("Prisma's engine reads relations that statements don't support: %s", async (_text, args) => {
  const found = await batched.author.findMany(args);
  expect(answeredBy).toEqual(['engine: Author.findMany']);
  expect(found).toStrictEqual(await engine.author.findMany(args));
});

test("a missing related row is null, as with Prisma's engine", async () => {
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
)(
  "statements read the relation lists of rows that Prisma's engine found: %s",
  async (_text, args) => {
    const found = await batched.author.findMany(args);
    expect(answeredBy).toEqual(['engine: Author.findMany', 'Book.findPages']);
    expect(found).toStrictEqual(await engine.author.findMany(args));
  },
);

test("statements read the relation lists of a single row that Prisma's engine found", async () => {
  const args = { where: { email: '3@example.com' }, include: { books: { ...page, take: 2 } } };
  const found = await batched.author.findUnique(args);
  expect(answeredBy).toEqual(['engine: Author.findUnique', 'Book.findPages']);
  expect(found).toStrictEqual(await engine.author.findUnique(args));
  answeredBy.length = 0;
  expect(await batched.author.findFirst(args)).toStrictEqual(found);
  expect(answeredBy).toEqual(['engine: Author.findFirst', 'Book.findPages']);
  expect(await batched.author.findFirst({ ...args, where: { email: 'none' } })).toBeNull();
});

test('statements read the relation lists of a row that a call wrote', async () => {
  const include = { author: { include: { books: byId } } } as const;
  const args = { where: { id: 7n }, data: { title: 'new' }, include };
  const updated = await batched.book.update(args);
  expect(answeredBy).toEqual(['Book.updateAll', 'Author.findByIds', 'Book.findPages']);
  expect(updated).toStrictEqual(await engine.book.update(args));
  const author = { name: 'new', email: 'new@example.com' };
  const create = { ...author, books: { create: { title: 'first' } } };
  const created = await batched.author.create({ data: create, include: { books: byId } });
  expect(created).toStrictEqual(
    await engine.author.findUnique({ where: { id: created.id }, include: { books: byId } }),
  );
  const where = { email: 'new@example.com' };
  const upsert = { where, create: author, update: { name: 'newer' }, include: { books: byId } };
  answeredBy.length = 0;
  expect(await batched.author.upsert(upsert)).toMatchObject({
    name: 'newer',
    books: [{ title: 'first' }],
  });
  expect(answeredBy).toEqual(['engine: Author.upsert', 'Book.findPages']);
});
