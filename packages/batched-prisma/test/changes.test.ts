import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { batcherFactory } from '@gateway/coalescing/batcher';
import { asRead } from '../src/as-read.ts';
import { batchedModels } from '../src/batched-models.ts';
import { cases, modelOf, openClients } from './clients.ts';
import { models } from './generated/batched-models.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, answeredCalls, options, close } = await openClients();
afterAll(close);
beforeEach(() => {
  answeredBy.length = 0;
  answeredCalls.length = 0;
});

/** As another process. */
const rival = () =>
  engine.$extends(batchedModels(engine, models, { ...options, createBatcher: batcherFactory() }));

const newAuthor = () => engine.author.create({ data: { name: 'before', email: randomUUID() } });

const newAuthors = async (count: number) => {
  const authors = await Promise.all(Array.from({ length: count }, newAuthor));
  answeredBy.length = 0;
  return authors;
};

test('changes of the same columns at a time are one statement, and each gets its own row', async () => {
  const authors = await newAuthors(20);
  const updated = await Promise.all(
    authors
      .toReversed()
      .map(({ id }) => batched.author.update({ where: { id }, data: { name: `of ${id}` } })),
  );
  expect(updated).toStrictEqual(
    authors.toReversed().map(({ id, email }) => ({ id, email, name: `of ${id}` })),
  );
  expect(answeredBy).toEqual(['Author.updateAll']);
  const deleted = await Promise.all(
    authors.map(({ id }) => batched.author.delete({ where: { id }, select: { name: true } })),
  );
  expect(deleted).toStrictEqual(authors.map(({ id }) => ({ name: `of ${id}` })));
  expect(answeredBy).toEqual(['Author.updateAll', 'Author.deleteAll']);
  expect(answeredCalls).toHaveLength(40);
  expect(await engine.author.count({ where: { id: { in: authors.map(({ id }) => id) } } })).toBe(0);
});

test('changes of one row at a time are made one after the other, in their order', async () => {
  const { id, email } = await newAuthor();
  answeredBy.length = 0;
  const names = Array.from({ length: 5 }, (_, index) => `${index}`);
  const updated = await Promise.all([
    ...names.map((name) => batched.author.update({ where: { id }, data: { name } })),
    batched.author.update({ where: { id }, data: { email: `${email}!` } }),
    batched.author.delete({ where: { id } }),
  ]);
  expect(updated).toEqual([
    ...names.map((name) => ({ id, email, name })),
    { id, email: `${email}!`, name: '4' },
    { id, email: `${email}!`, name: '4' },
  ]);
});

test('what is absent or undefined stays, and null is stored', async () => {
  const author = await newAuthor();
  const { id } = await engine.book.create({
    data: { title: 'a', authorId: author.id, editorId: author.id },
  });
  answeredBy.length = 0;
  const update = (data: object) => batched.book.update({ where: { id }, data });
  expect(await update({ title: 'b', editorId: undefined })).toMatchObject({
    title: 'b',
    editorId: author.id,
  });
  expect(await update({ editorId: null })).toMatchObject({ title: 'b', editorId: null });
  expect(answeredBy).toEqual(['Book.updateAll', 'Book.updateAll']);
});

test('relations are those after the change', async () => {
  const [first, second] = await newAuthors(2);
  const data = { title: 'a', authorId: first?.id ?? 0 };
  const { id } = await engine.book.create({ data });
  answeredBy.length = 0;
  const where = { id };
  const select = { title: true, author: { select: { id: true } } } as const;
  const updated = await batched.book.update({
    where,
    data: { authorId: second?.id ?? 0 },
    select,
  });
  expect(updated).toStrictEqual({ title: 'a', author: { id: second?.id } });
  expect(await batched.book.delete({ where, select })).toStrictEqual(updated);
  expect(answeredBy).toEqual([
    'Book.updateAll',
    'Author.findByIds',
    'Book.deleteAll',
    'Author.findByIds',
  ]);
});

test.each(
  cases<Omit<Prisma.AuthorUpdateArgs, 'where'>>([
    { data: {} },
    { data: { name: { set: 'x' } } },
    { data: { id: { increment: 100_000 } } },
    { data: { books: { create: { title: 'x' } } } },
    { data: { name: 'x' }, omit: { name: true } },
    { data: { name: 'x' }, include: { _count: true } },
  ]),
)('the engine answers update(%s)', async (_text, args) => {
  const { id } = await newAuthor();
  answeredBy.length = 0;
  await batched.author.update({ where: { id }, ...args });
  expect(answeredBy).toEqual(['engine: Author.update']);
});

/** Conditions beside the id. */
type Condition = Pick<Prisma.AuthorWhereUniqueInput, 'AND' | 'OR' | 'NOT' | 'name' | 'books'>;

test.each(
  cases<Condition>([
    { name: { contains: 'for' } },
    { OR: [{ name: 'before' }] },
    { AND: { name: 'before' } },
    { NOT: { name: 'after' } },
    { books: { none: {} } },
  ]),
)('the engine answers changes where %s', async (_text, condition) => {
  const { id } = await newAuthor();
  answeredBy.length = 0;
  const where = { id, ...condition };
  await batched.author.update({ where, data: { email: randomUUID() } });
  await batched.author.delete({ where });
  expect(answeredBy).toEqual(['engine: Author.update', 'engine: Author.delete']);
});

/** What a call rejects with. */
const errorOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a row that is not there, or whose conditions do not hold, has the engine’s error', async () => {
  const author = await newAuthor();
  const { id } = author;
  const data = { name: 'after' };
  for (const where of [{ id: -1 }, { id, name: 'other' }, { id, NOT: { id } }]) {
    for (const [own, theirs] of [
      [batched.author.update({ where, data }), engine.author.update({ where, data })],
      [batched.author.delete({ where }), engine.author.delete({ where })],
    ] as const) {
      const [error, expected] = await Promise.all([own, theirs].map(errorOf));
      expect(error).toHaveProperty('code', 'P2025');
      expect(error).toHaveProperty('meta', Reflect.get(Object(expected), 'meta'));
      expect(Reflect.get(Object(error), 'name')).toBe('PrismaClientKnownRequestError');
    }
  }
  expect(await engine.author.findUnique({ where: { id } })).toEqual(author);
});

test('a change under conditions is made while they hold', async () => {
  const author = await newAuthor();
  const { id, email } = author;
  answeredBy.length = 0;
  const where = { id, name: 'before', email };
  await batched.author.update({ where, data: { name: 'after' } });
  await expect(batched.author.delete({ where })).rejects.toMatchObject({ code: 'P2025' });
  expect(answeredBy).toEqual(['Author.updateAll', 'Author.deleteAll', 'engine: Author.delete']);
});

test.each(['one client', 'several processes'])(
  'of parallel changes of a row as it was read by %s exactly one is made',
  async (who) => {
    const others = who === 'one client' ? [] : Array.from({ length: 3 }, rival);
    for (let round = 0; round < 10; round += 1) {
      const author = await newAuthor();
      const { id } = author;
      const condition = asRead(modelOf('Author'), author);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) =>
          (others[index % 4] ?? batched).author.update({
            where: { id, ...condition },
            data: { name: `${index}` },
          }),
        ),
      );
      const won = outcomes.filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
      expect(won[0]).toHaveProperty('value', await engine.author.findUnique({ where: { id } }));
      const lost = outcomes.filter(({ status }) => status === 'rejected');
      expect(lost).toMatchObject(lost.map(() => ({ reason: { code: 'P2025' } })));
    }
  },
);

const setEmail = (id = 0, email = '') =>
  batched.author.update({ where: { id }, data: { email }, select: { email: true } });

test('a change that the database refuses fails alone, with Prisma’s own error', async () => {
  const [first, second, third, other] = await newAuthors(4);
  const free = [randomUUID(), randomUUID()];
  const outcomes = await Promise.allSettled([
    setEmail(first?.id, free[0]),
    setEmail(second?.id, other?.email),
    setEmail(third?.id, free[1]),
  ]);
  expect(outcomes).toMatchObject([
    { value: { email: free[0] } },
    { reason: { code: 'P2002', meta: { modelName: 'Author' } } },
    { value: { email: free[1] } },
  ]);
});

test('a change of a transaction belongs to it', async () => {
  const author = await newAuthor();
  const { id } = author;
  const where = { id, ...asRead(modelOf('Author'), author) };
  const outcome = batched.$transaction(async (transaction) => {
    await transaction.author.update({ where, data: { name: 'in between' } });
    throw new Error('taken back');
  });
  await expect(outcome).rejects.toThrow('taken back');
  const data = { name: 'after' };
  await expect(
    batched.$transaction([
      batched.author.update({ where, data }),
      batched.author.delete({ where: { id: -1 } }),
    ]),
  ).rejects.toMatchObject({ code: 'P2025' });
  expect(await engine.author.findUnique({ where: { id } })).toEqual(author);
});
