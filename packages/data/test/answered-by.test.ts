import { beforeEach, expect, test } from 'vitest';
import { cases, openClients } from './clients.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, answeredCalls, pool } = await openClients();
await pool.query(`INSERT INTO "Author" (name, email) SELECT 'name ' || n % 3, n || '@example.com'
  FROM generate_series(1, 20) AS n`);
await pool.query(`INSERT INTO "Book" (title, author_id, editor_id)
  SELECT 'title ' || n, n % 4 + 1, CASE WHEN n % 2 = 0 THEN 5 END FROM generate_series(1, 40) AS n`);
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
    { ...byId, where: { editorId: 5 } },
    { ...byId, where: { authorId: 2, editorId: null } },
    { ...byId, where: { id: 3n } },
    { ...byId, where: { OR: [{ id: 3n }, { authorId: 3 }] } },
    { ...byId, where: { author: { name: 'name 1' } } },
    { ...byId, include: { author: { omit: { name: true } } } },
  ]),
)('the engine runs findMany(%s)', async (_text, args) => {
  // Several servers answer in any order if they are asked for none.
  const ordered = (rows: readonly object[]) => (args?.orderBy === undefined ? new Set(rows) : rows);
  const found = await batched.book.findMany(args);
  expect(answeredBy).toEqual(['engine: Book.findMany']);
  expect(ordered(found)).toStrictEqual(ordered(await engine.book.findMany(args)));
});

test('a statement runs findUnique by id, and the engine by other unique columns or conditions', async () => {
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

test('each findUnique of a batch applies its own conditions', async () => {
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

test('onAnswer reports each call that statements run, and no other call', async () => {
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

test('the engine runs conditions on JSON even if an index covers them', async () => {
  const { id } = await batched.allDefaults.create({ data: { json: { a: 1 } } });
  const where = { json: { equals: { a: 1 } } };
  expect(
    await batched.allDefaults.findMany({ where, orderBy: { id: 'asc' }, take: 9 }),
  ).toMatchObject([{ id }]);
  expect(answeredBy.at(-1)).toBe('engine: AllDefaults.findMany');
});

test('the engine creates rows with an id type that PostgreSQL normalizes', async () => {
  const created = await Promise.all(
    ['abc  ', 'b'].map((id) => batched.withVarcharId.create({ data: { id } })),
  );
  expect(created.map(({ id }) => id)).toEqual(['abc', 'b']);
});

test("the engine runs all calls of models that statements don't support", async () => {
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
