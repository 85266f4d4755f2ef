import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { batcherFactory } from '@store-gateway/ops';
import { asRead } from '../src/conditions.ts';
import { batchedModels } from '../src/batched-models.ts';
import { cases, modelOf, openClients } from './clients.ts';
import { models } from './generated/batched-models.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, options, close } = await openClients();
afterAll(close);
beforeEach(() => {
  answeredBy.length = 0;
});

const newAuthor = () => engine.author.create({ data: { name: 'before', email: randomUUID() } });

/** As another process. */
const rival = () =>
  engine.$extends(batchedModels(engine, models, { ...options, createBatcher: batcherFactory() }));

/** Conditions beside the id. */
type Condition = Pick<Prisma.AuthorWhereUniqueInput, 'AND' | 'OR' | 'NOT' | 'name' | 'books'>;

test.each(
  cases<Condition>([
    { name: { contains: 'for' } },
    { OR: [{ name: 'before' }] },
    { AND: { name: 'before' } },
    { NOT: { name: 'after' } },
    // Citus changes no table that isn't distributed by the rows of one that is.
    ...(inject('isSharded') ? [] : [{ books: { none: {} } }]),
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
  expect(answeredBy).toEqual(['Author.updateAll', 'Author.deleteAll']);
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
