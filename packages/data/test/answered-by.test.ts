import { afterAll, beforeEach, expect, test } from 'vitest';
import { cases, openClients } from './clients.ts';
import { Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, answeredCalls, pool, close } = await openClients();
afterAll(close);
await pool.query(`INSERT INTO "Author" (name, email) SELECT 'name ' || n % 3, n || '@example.com'
  FROM generate_series(1, 20) AS n`);
await pool.query(`INSERT INTO "Book" (title, author_id, editor_id)
  SELECT 'title ' || n, n % 4 + 1, CASE WHEN n % 2 = 0 THEN 5 END FROM generate_series(1, 40) AS n`);
// The first page that compares two columns also asks what the database orders by.
await batched.book.findMany({ where: { title: '', authorId: 1 }, orderBy: { id: 'asc' }, take: 1 });
beforeEach(() => {
  answeredBy.length = 0;
  answeredCalls.length = 0;
});

const byId = { orderBy: { id: 'asc' }, take: 5 } as const;

test.each(
  cases<Prisma.BookFindManyArgs>([
    byId,
    { ...byId, orderBy: [{ id: 'asc' }] },
    { ...byId, where: {} },
    { ...byId, where: { id: { gt: 7n } } },
    { ...byId, where: { authorId: 2 } },
    { ...byId, where: { authorId: 2, id: { gt: 7n } } },
    { ...byId, where: { authorId: 2 }, select: null, include: null },
    { ...byId, where: { authorId: 99 } },
    { ...byId, where: { id: { gt: 2n ** 63n - 1n } } },
    { ...byId, select: { title: true, authorId: true, id: false } },
    { ...byId, where: { title: 'title 3', authorId: 4 } },
    { ...byId, where: { authorId: 4, title: 'title 3', id: { lt: 3n } } },
    { ...byId, where: { authorId: 4, editorId: 5, title: 'title 7', id: { gt: 1n } } },
    { ...byId, where: { id: { gt: 3n, lt: 20n } } },
    { ...byId, where: { id: { lt: 4n } } },
    { ...byId, where: { id: { gt: 9n, lt: 9n } } },
    { ...byId, where: { authorId: 2, id: { gt: 5n, lt: 9n } } },
  ]),
)('a statement answers findMany(%s)', async (_text, args) => {
  const found = await batched.book.findMany(args);
  expect(answeredBy).toEqual(['Book.findPages']);
  expect(found).toStrictEqual(await engine.book.findMany(args));
});

const fromTheEnd = { orderBy: { id: 'desc' }, take: 5 } as const;

test.each(
  cases<Prisma.BookFindManyArgs>([
    fromTheEnd,
    { ...fromTheEnd, where: { id: { lt: 7n } } },
    { ...fromTheEnd, where: { id: { lt: 3n } } },
    { ...fromTheEnd, where: { authorId: 2 } },
    { ...fromTheEnd, where: { authorId: 2, id: { lt: 18n } } },
    { ...fromTheEnd, where: { authorId: 99 } },
    { ...fromTheEnd, where: { authorId: 2, title: 'title 9', id: { lt: 18n } } },
    { ...fromTheEnd, where: { authorId: 2, id: { gt: 5n, lt: 18n } } },
    { ...fromTheEnd, where: { id: { gt: 38n } } },
    { ...fromTheEnd, where: { id: { lt: -(2n ** 63n) } } },
    { ...fromTheEnd, select: { title: true } },
  ]),
)('a statement answers findMany(%s)', async (_text, args) => {
  const found = await batched.book.findMany(args);
  expect(answeredBy).toEqual(['Book.findPages']);
  expect(found).toStrictEqual(await engine.book.findMany(args));
});

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
)('the engine answers findMany(%s)', async (_text, args) => {
  // Several servers answer in any order if they are asked for none.
  const ordered = (rows: readonly object[]) => (args?.orderBy === undefined ? new Set(rows) : rows);
  const found = await batched.book.findMany(args);
  expect(answeredBy).toEqual(['engine: Book.findMany']);
  expect(ordered(found)).toStrictEqual(ordered(await engine.book.findMany(args)));
});

test('findUnique is answered by a statement for an id, by the engine for other unique columns and conditions', async () => {
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

test('each row of a batch is found by its own conditions', async () => {
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
  answeredBy.length = 0;
  for (const [index, where] of asked.entries()) {
    expect(await batched.book.findUnique({ where })).toStrictEqual(found[index]);
  }
  expect(new Set(answeredBy)).toEqual(new Set(['Book.findByIds']));
});

test('each call that statements have answered is told, and no other', async () => {
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

test('the engine judges conditions on JSON, whatever is indexed', async () => {
  const { id } = await batched.allDefaults.create({ data: { json: { a: 1 } } });
  const where = { json: { equals: { a: 1 } } };
  expect(
    await batched.allDefaults.findMany({ where, orderBy: { id: 'asc' }, take: 9 }),
  ).toMatchObject([{ id }]);
  expect(answeredBy.at(-1)).toBe('engine: AllDefaults.findMany');
});

test('an id that PostgreSQL stores otherwise than given is the engine’s', async () => {
  const created = await Promise.all(
    ['abc  ', 'b'].map((id) => batched.withVarcharId.create({ data: { id } })),
  );
  expect(created.map(({ id }) => id)).toEqual(['abc', 'b']);
});

test('models that statements do not know are the engine’s', async () => {
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

test('errors are Prisma’s own', async () => {
  const missing = { where: { id: 99 } };
  const taken = { data: { name: 'other', email: '1@example.com' } };
  const fine = { data: { name: 'fine', email: 'fine@example.com' } };
  await expect(batched.author.findUniqueOrThrow(missing)).rejects.toMatchObject({ code: 'P2025' });
  const [refused, created] = await Promise.allSettled([
    batched.author.create(taken),
    batched.author.create(fine),
  ]);
  expect(refused).toMatchObject({ reason: { code: 'P2002' } });
  expect(created).toMatchObject({ value: fine.data });
  // @ts-expect-error -- Prisma's types are those of the methods
  await expect(batched.author.findMany({ where: { nmae: 'x' } })).rejects.toBeInstanceOf(
    Prisma.PrismaClientValidationError,
  );
  // @ts-expect-error -- as before
  await expect(batched.author.create({ data: { name: 7, email: '' } })).rejects.toBeInstanceOf(
    Prisma.PrismaClientValidationError,
  );
  // @ts-expect-error -- as before
  await expect(batched.author.findUnique({ where: { id: '3' } })).rejects.toBeInstanceOf(
    Prisma.PrismaClientValidationError,
  );
});

test('ids that are texts are paged in their order, each once', async () => {
  const price = new Prisma.Decimal(1);
  await Promise.all(
    ['b', 'a', 'é', 'B', '', 'z', 'Z'].map((id) =>
      batched.defaulted.create({ data: { id, price, text: 'same' } }),
    ),
  );
  const args = { where: { text: 'same' }, orderBy: { id: 'asc' }, take: 3 } as const;
  const seen: string[] = [];
  let page = await batched.defaulted.findMany(args);
  while (page.length > 0) {
    const last: string = page.at(-1)?.id ?? '';
    seen.push(...page.map(({ id }) => id));
    page = await batched.defaulted.findMany({ ...args, where: { text: 'same', id: { gt: last } } });
  }
  const all = await engine.defaulted.findMany({ ...args, take: 100 });
  expect(seen).toEqual(all.map(({ id }) => id));
  answeredBy.length = 0;
  const backward = { ...args, orderBy: { id: 'desc' } } as const;
  const last = await batched.defaulted.findMany(backward);
  const before = { text: 'same', id: { lt: last.at(-1)?.id ?? '' } };
  const previous = await batched.defaulted.findMany({ ...backward, where: before });
  expect(new Set(answeredBy)).toEqual(new Set(['Defaulted.findPages']));
  expect([...last, ...previous].map(({ id }) => id)).toEqual(seen.toReversed().slice(0, 6));
});
