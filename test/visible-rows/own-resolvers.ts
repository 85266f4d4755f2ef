import type { PrismaClient } from './generated/client.ts';

/** The arguments of the store's own fields. */
interface Given {
  readonly id: bigint;
  readonly ownerId: bigint;
  readonly team: string;
  readonly name: string;
}

type Ask = (database: PrismaClient, given: Given) => Promise<unknown>;

const BY_ID = { orderBy: { id: 'asc' }, take: 50 } as const;

/** Reads that a store's own resolvers may perform; the gateway's lists make no such calls. */
export const READS: ReadonlyMap<string, Ask> = new Map(
  Object.entries<Ask>({
    first: ({ note }, { name }) =>
      note.findFirst({
        where: { title: { startsWith: name } },
        orderBy: [{ rank: 'desc' }, { id: 'asc' }],
      }),
    included: ({ topic }, { id }) =>
      topic.findUnique({
        where: { id },
        include: { notes: { ...BY_ID, select: { title: true } } },
      }),
    selected: ({ note }, { id }) =>
      note.findMany({
        where: { id: { in: [1n, id] } },
        select: { title: true, folder: { select: { name: true } } },
        ...BY_ID,
      }),
    ofCode: ({ note }, { ownerId, team }) =>
      note.findUnique({ where: { ownerId_team_code: { ownerId, team, code: 1 } } }),
    ordered: ({ tag }) =>
      tag.findMany({ orderBy: [{ note: { title: 'asc' } }, { id: 'asc' }], take: 9 }),
    byRelation: ({ topic }, { name }) =>
      topic.findMany({ where: { notes: { some: { title: { startsWith: name } } } }, ...BY_ID }),
    byNegation: ({ topic }, { name }) =>
      topic.count({ where: { NOT: { notes: { none: { title: { startsWith: name } } } } } }),
    ofRelation: ({ tag }, { name }) =>
      tag.count({ where: { note: { title: { startsWith: name } } } }),
    inFolders: ({ note }, { name }) =>
      note.findMany({ where: { folder: { name: { startsWith: name } } }, ...BY_ID }),
    outsideTopics: ({ note }, { name }) =>
      note.findMany({ where: { NOT: { topic: { is: { name } } } }, ...BY_ID }),
    every: ({ topic }) => topic.count({ where: { notes: { every: { rank: 0 } } } }),
    counted: ({ note }) => note.count(),
    summed: ({ note }) => note.aggregate({ _sum: { code: true } }),
    grouped: ({ note }) =>
      note.groupBy({
        by: ['ownerId', 'team'],
        _count: true,
        orderBy: [{ ownerId: 'asc' }, { team: 'asc' }],
        take: 50,
      }),
    relationCount: ({ topic }, { id }) =>
      topic.findUnique({ where: { id }, select: { _count: true } }),
    inTransaction: (database) => database.$transaction((inner) => inner.note.count()),
    inTransactions: (database) =>
      database.$transaction([database.note.count(), database.folder.count()]),
    cursor: ({ note }, { id }) => note.count({ cursor: { id }, orderBy: { id: 'asc' } }),
    sql: (database) => database.$queryRaw`SELECT count(*)::int FROM notes`,
    extended: (database) => database.$extends({}).note.count(),
  }),
);

export const CHANGES: ReadonlyMap<string, Ask> = new Map(
  Object.entries<Ask>({
    raised: ({ note }, { name }) =>
      note.updateMany({
        where: { title: { contains: name } },
        data: { rank: { increment: 1 } },
      }),
    removed: ({ note }, { name }) => note.deleteMany({ where: { title: name } }),
    connected: ({ note }, { id }) =>
      note.update({ where: { id }, data: { folder: { connect: { id: 1n } } } }),
    nested: ({ note }, { id, name }) =>
      note.update({ where: { id }, data: { folder: { update: { name } } } }),
    upserted: ({ folder }, { ownerId, team, name }) => {
      const key = { ownerId, team, name };
      return folder.upsert({
        where: { ownerId_team_name: key },
        create: { ...key, rank: 0 },
        update: { rank: { increment: 1 } },
      });
    },
  }),
);
