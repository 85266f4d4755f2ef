import type { BuilderTypes } from '@store-gateway/gateway/schema';
import type { PrismaClient } from './generated/client.ts';
import type PrismaTypes from './generated/pothos.ts';

type Context = BuilderTypes<PrismaClient, PrismaTypes>['Context'];

/** What resolvers of a store's own might ask, by the names of their fields. */
export const OWN: Readonly<Record<string, (context: Context) => Promise<unknown>>> = {
  counted: ({ database }) => database.note.count(),
  grouped: ({ database }) =>
    database.note.groupBy({ by: ['ownerId'], _count: true, orderBy: { ownerId: 'asc' }, take: 9 }),
  first: ({ database }) => database.note.findFirst({ where: { title: { startsWith: 'bob' } } }),
  byRelation: ({ database }) =>
    database.topic.findMany({
      where: { notes: { some: { title: { startsWith: 'bob' } } } },
      take: 9,
    }),
  byNegation: ({ database }) =>
    database.topic.count({ where: { NOT: { notes: { none: { title: 'bob-2' } } } } }),
  ofRelation: ({ database }) =>
    database.tag.count({ where: { note: { title: { startsWith: 'bob' } } } }),
  every: ({ database }) => database.topic.count({ where: { notes: { every: { rank: 0 } } } }),
  ordered: ({ database }) =>
    database.tag.findMany({ orderBy: { note: { title: 'asc' } }, take: 9 }),
  cursor: ({ database }) => database.note.count({ cursor: { id: 3n }, orderBy: { id: 'asc' } }),
  relationCount: ({ database }) =>
    database.topic.findUnique({ where: { id: 1n }, select: { _count: true } }),
  included: ({ database }) =>
    database.topic.findUnique({
      where: { id: 1n },
      include: { notes: { take: 9, orderBy: { id: 'asc' }, select: { title: true } } },
    }),
  selected: ({ database }) =>
    database.note.findMany({
      where: { id: { in: [1n, 3n] } },
      select: { title: true, folder: { select: { name: true } } },
      orderBy: { id: 'asc' },
      take: 9,
    }),
  inTransaction: ({ database }) => database.$transaction((inner) => inner.note.count()),
  inTransactions: ({ database }) =>
    database.$transaction([database.note.count(), database.topic.count()]),
  raised: ({ database }) =>
    database.note.updateMany({ where: {}, data: { rank: { increment: 1 } } }),
  connected: ({ database }) =>
    database.note.update({ where: { id: 1n }, data: { topic: { connect: { id: 1n } } } }),
  nested: ({ database }) =>
    database.topic.update({ where: { id: 1n }, data: { notes: { deleteMany: {} } } }),
  sql: ({ database }) => database.$queryRaw`SELECT count(*)::int FROM notes`,
  extended: ({ database }) => Promise.resolve(database.$extends({}).note.count()),
  unrestricted: ({ unrestrictedDatabase }) => unrestrictedDatabase.note.count(),
  ofTopics: ({ database }) => database.topic.count(),
};
