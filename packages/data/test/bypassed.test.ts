import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { batchedModels } from '../src/batched-models.ts';
import { ofEngineOnly } from '../src/engine.ts';
import type { Models } from '../src/model.ts';
import { openClients } from './clients.ts';
import { models } from './generated/batched-models.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

const { connectionString, options, answeredBy, answeredCalls } = await openClients();
const pool = new Pool({ connectionString });
afterAll(() => pool.end());

const clientWith = (omit: Prisma.GlobalOmitConfig = {}) =>
  new PrismaClient({ adapter: new PrismaPg(pool), omit });

const { Author: _author, ...withoutAuthor }: Models = models;

/** A query extension that records the operations it sees. */
function counter() {
  const seen: string[] = [];
  const count = <Result>({
    operation,
    args,
    query,
  }: {
    operation: string;
    args: object;
    query: (args: object) => Result;
  }): Result => {
    seen.push(operation);
    return query(args);
  };
  return { seen, count };
}

test.each([
  [
    'the query extension of Author.findMany',
    Prisma.defineExtension({ query: { author: { findMany: counter().count } } }),
  ],
  [
    'the query extension of Author.create',
    Prisma.defineExtension({ query: { author: { create: counter().count } } }),
  ],
  [
    'the query extension of Author.findUnique',
    Prisma.defineExtension({ query: { author: { $allOperations: counter().count } } }),
  ],
  [
    'the query extension',
    Prisma.defineExtension({ query: { $allModels: { findMany: counter().count } } }),
  ],
  ['the query extension', Prisma.defineExtension({ query: { $allOperations: counter().count } })],
  [
    'the result extension Author.shout',
    Prisma.defineExtension({ result: { author: { shout: { compute: () => '!' } } } }),
  ],
])('%s is rejected whether it is applied before or after batchedModels: %#', (what, extension) => {
  const refusal = `batched statements would bypass ${what}`;
  const base = clientWith().$extends(extension);
  expect(() => batchedModels(base, models, options)).toThrow(refusal);
  const client = clientWith();
  const extended = client.$extends(batchedModels(client, models, options));
  expect(() => extended.$extends(extension)).toThrow(refusal);
  const twice = extended.$extends({ client: { $hello: () => 'hello' } });
  expect(() => twice.$extends(extension)).toThrow(refusal);
});

test('batchedModels rejects a client that omits a column, but accepts omit: false', () => {
  const omitting = clientWith({ author: { email: true } });
  expect(() => batchedModels(omitting, models, options)).toThrow(
    "batched statements would bypass the client's omit option for Author.email: don't pass Author to batchedModels, so that Prisma's engine handles its calls",
  );
  expect(() =>
    batchedModels(clientWith({ author: { email: false } }), models, options),
  ).not.toThrow();
});

test('query extensions and omit apply to every call to a model that batchedModels does not handle', async () => {
  const below = counter();
  const above = counter();
  const base = clientWith({ author: { email: true } }).$extends({
    query: { author: { $allOperations: below.count } },
  });
  answeredBy.length = 0;
  const client = base
    .$extends(batchedModels(base, withoutAuthor, options))
    .$extends({ query: { author: { $allOperations: above.count } } });
  const { id } = await client.author.create({ data: { name: 'a', email: 'a@example.com' } });
  const byId = { orderBy: { id: 'asc' }, take: 5 } as const;
  const found = [
    await client.author.findUnique({ where: { id } }),
    await client.author.findUniqueOrThrow({ where: { id } }),
    ...(await client.author.findMany(byId)),
  ];
  expect(found).toEqual(Array.from({ length: 3 }, () => ({ id, name: 'a' })));
  const calls = ['create', 'findUnique', 'findUniqueOrThrow', 'findMany'];
  expect([below.seen, above.seen]).toEqual([calls, calls]);
  answeredCalls.length = 0;
  await client.book.findMany({ ...byId, include: { author: true } });
  expect(answeredCalls).toEqual([]);
  await client.book.findMany(byId);
  expect(answeredCalls).toEqual(['Book.findMany']);
});

test('ofEngineOnly passes isOfTransaction to its callback: whether the call is part of a transaction', async () => {
  const told: boolean[] = [];
  const client = clientWith().$extends({
    query: {
      $allOperations: ofEngineOnly(({ isOfTransaction, args, query }) => {
        told.push(isOfTransaction);
        return query(args);
      }),
    },
  });
  await client.author.count();
  await client.$transaction([client.author.count()]);
  await client.$transaction((transaction) => transaction.author.count());
  expect(told).toEqual([false, true, true]);
});
