import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { cases, openClients } from './clients.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, answeredCalls, close } = await openClients();
afterAll(close);
beforeEach(() => {
  answeredBy.length = 0;
  answeredCalls.length = 0;
});

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
  expect(new Set(answeredBy)).toEqual(new Set(['Book.updateAll']));
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
