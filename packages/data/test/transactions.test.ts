import { expect, test } from 'vitest';
import { batchedModels, type BatchedModelsOptions } from '../src/batched-models.ts';
import { asRead } from '../src/conditions.ts';
import { deduplicatingClient } from '../src/once.ts';
import { modelOf, REMOVED, REUSED, testClients } from './clients.ts';
import { models } from './generated/batched-models.ts';

const data = { name: 'a', email: 'a@example.com' };
const page = { orderBy: { id: 'asc' }, take: 9 } as const;

test('an interactive transaction sees its own writes and can roll them back', async () => {
  const { batched, engine, answeredBy } = await testClients();
  const kept = await engine.author.create({ data: { name: 'kept', email: 'kept@example.com' } });
  answeredBy.length = 0;
  const outcome = batched.$transaction(async (transaction) => {
    const { id } = await transaction.author.create({ data });
    expect(await transaction.author.findUnique({ where: { id } })).toMatchObject(data);
    expect(await batched.author.findUnique({ where: { id } })).toBeNull();
    const where = { id: kept.id, ...asRead(modelOf('Author'), kept) };
    await transaction.author.update({ where, data: { name: 'changed' } });
    throw new Error('taken back');
  });
  await expect(outcome).rejects.toThrow('taken back');
  expect(await batched.author.findMany(page)).toEqual([kept]);
  expect(answeredBy).toEqual([
    'engine: Author.create',
    'engine: Author.findUnique',
    'Author.findByIds',
    'engine: Author.update',
    'Author.findPages',
  ]);
});

test('a batch transaction commits the writes of all of its calls or of none', async () => {
  const { batched, engine, answeredBy } = await testClients();
  const kept = await engine.author.create({ data: { name: 'kept', email: 'kept@example.com' } });
  const { id } = kept;
  answeredBy.length = 0;
  const create = (email: string) => batched.author.create({ data: { name: 'a', email } });
  await expect(
    batched.$transaction([
      create('a@example.com'),
      batched.author.update({ where: { id }, data: { name: 'b' }, include: { books: page } }),
      batched.author.delete({ where: { id } }),
      create('a@example.com'),
    ]),
  ).rejects.toMatchObject({ code: 'P2002' });
  const [first, found] = await batched.$transaction([
    create('a@example.com'),
    batched.author.findMany(page),
  ]);
  expect(found).toEqual([kept, first]);
  expect(answeredBy.filter((name) => !name.startsWith('engine: '))).toEqual([]);
});

test('a client call runs only once, when it is first awaited', async () => {
  const { batched, answeredBy } = await testClients();
  const created = batched.author.create({ data });
  expect(await batched.author.count()).toBe(0);
  expect(await created).toBe(await created);
  expect(answeredBy).toEqual(['engine: Author.count', 'Author.createAll']);
});

test("a batch whose outcome is unknown isn't retried", async () => {
  const { engine, options, answeredBy } = await testClients();
  const cut: BatchedModelsOptions = {
    ...options,
    write: async (statement, parameters) => {
      await options.write(statement, parameters);
      throw new Error('the connection was lost');
    },
    transaction: async (begin, body) => {
      await options.transaction(begin, body);
      throw new Error('the connection was lost');
    },
  };
  const batched = engine.$extends(batchedModels(engine, models, cut));
  const once = deduplicatingClient(batched, {
    nextKey: () => ({ keyId: 1n, name: 'a' }),
    reusedError: () => REUSED,
    missingRowError: () => REMOVED,
  });
  for (const client of [batched, once]) {
    const email = `${answeredBy.length}@example.com`;
    await expect(client.author.create({ data: { name: 'a', email } })).rejects.toThrow(
      'the connection was lost',
    );
  }
  expect(answeredBy).toEqual(['Author.createAll', 'Author.createAllOnce']);
  expect(await engine.author.count()).toBe(2);
});

test('a client that extends a batched client also uses statements', async () => {
  const { batched, answeredBy } = await testClients();
  const extended = batched.$extends({ model: { author: { hello: () => 'hello' } } });
  expect(await extended.author.findUnique({ where: { id: 1 } })).toBeNull();
  expect(extended.author.hello()).toBe('hello');
  expect(answeredBy).toEqual(['Author.findByIds']);
});
