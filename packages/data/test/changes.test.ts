import { randomUUID } from 'node:crypto';
import { beforeEach, expect, inject, test } from 'vitest';
import { batcherFactory } from '@store-gateway/ops';
import { batchedModels } from '../src/batched-models.ts';
import { asRead } from '../src/conditions.ts';
import { cases, modelOf, openClients } from './clients.ts';
import { ORDINARY } from './column-values.ts';
import { models } from './generated/batched-models.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, answeredCalls, statements, options } = await openClients();
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

test('concurrent changes to the same columns share one statement, and each returns its own row', async () => {
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

test('concurrent changes to one row are applied one by one, in the order of the calls', async () => {
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

test('a changed row is returned with its new relations', async () => {
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
)("Prisma's engine runs update(%s)", async (_text, args) => {
  const { id } = await newAuthor();
  answeredBy.length = 0;
  await batched.author.update({ where: { id }, ...args });
  expect(answeredBy).toEqual(['engine: Author.update']);
});

test('updates of arbitrary sets of columns prepare at most 129 statements', async () => {
  const { id } = await engine.everything.create({ data: ORDINARY });
  const fields = ['int', 'float', 'string', 'boolean', 'level', 'bigInt', 'bytes', 'json'] as const;
  for (let subset = 1; subset < 2 ** fields.length; subset += 1) {
    const some = fields.filter((_field, index) => (subset >> index) % 2 === 1);
    const data = Object.fromEntries(some.map((field) => [field, ORDINARY[field]]));
    await batched.everything.update({ where: { id }, data });
  }
  const kept = new Set(
    statements.map(({ statement: { name, preparedAs } }) =>
      name === 'Everything.updateAll' ? preparedAs : '',
    ),
  );
  expect(kept.size).toBe(1 + 128);
});

test('each change to a row advances its @updatedAt column', async () => {
  const { id, updatedAt } = await engine.defaulted.create({ data: {} });
  const times = [updatedAt.getTime()];
  for (let number = 0; number < 20; number += 1) {
    const updated = await batched.defaulted.update({ where: { id }, data: { number } });
    times.push(updated.updatedAt.getTime());
  }
  expect(statements.at(-1)?.statement.name).toBe('Defaulted.updateAll');
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(times).size).toBe(times.length);
  expect(Math.abs((times.at(-1) ?? 0) - Date.now())).toBeLessThan(1_800_000);
  const given = new Date('2020-01-01T00:00:00.001Z');
  const set = await batched.defaulted.update({ where: { id }, data: { updatedAt: given } });
  expect(set.updatedAt).toEqual(given);
});

/** A client with its own batcher, as in a different process. */
const rival = () =>
  engine.$extends(batchedModels(engine, models, { ...options, createBatcher: batcherFactory() }));

/** Conditions in addition to the id. */
type Condition = Pick<Prisma.AuthorWhereUniqueInput, 'AND' | 'OR' | 'NOT' | 'name' | 'books'>;

test.each(
  cases<Condition>([
    { name: { contains: 'for' } },
    { OR: [{ name: 'before' }] },
    { AND: { name: 'before' } },
    { NOT: { name: 'after' } },
    // In Citus, a change to an undistributed table cannot depend on the rows of a distributed table.
    ...(inject('isSharded') ? [] : [{ books: { none: {} } }]),
  ]),
)("Prisma's engine runs updates and deletes with the condition %s", async (_text, condition) => {
  const { id } = await newAuthor();
  answeredBy.length = 0;
  const where = { id, ...condition };
  await batched.author.update({ where, data: { email: randomUUID() } });
  await batched.author.delete({ where });
  expect(answeredBy).toEqual(['engine: Author.update', 'engine: Author.delete']);
});

test.each(['one client', 'several processes'])(
  'of concurrent updates from %s, each conditional on an unchanged row, exactly one succeeds',
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
