import { int64, text } from '@store-gateway/graphql';
import type { SchemaParts } from './builder.ts';
import type { addNotesAndTags } from './note-types.ts';
import type { TopicsAndFolders } from './shelf-types.ts';

const TEXT = text(1, 40);
type Types = Pick<TopicsAndFolders, 'Folder'> & ReturnType<typeof addNotesAndTags>;

/** What a store's own resolvers may ask a database for: no list of ours makes such calls. */
export function addOwnFields({ builder, by }: SchemaParts, { Note, Folder }: Types): void {
  const name = { rule: TEXT, required: true } as const;
  builder.queryFields((t) => ({
    firstNote: t.field({
      type: Note,
      nullable: true,
      args: { title: t.arg.string(name) },
      resolve: (_root, { title }, context) =>
        by('own list')(context).note.findFirst({
          where: { title: { contains: title } },
          orderBy: [{ rank: 'desc' }, { id: 'asc' }],
        }),
    }),
    notesInFolders: t.field({
      type: [Note],
      args: { name: t.arg.string(name) },
      resolve: (_root, args, context) =>
        by('own relation filter')(context).note.findMany({
          where: { folder: { name: { startsWith: args.name } } },
          orderBy: { id: 'asc' },
          take: 50,
        }),
    }),
    notesOutsideTopics: t.field({
      type: [Note],
      args: { name: t.arg.string(name) },
      resolve: (_root, args, context) =>
        by('own relation filter')(context).note.findMany({
          where: { NOT: { topic: { is: { name: args.name } } } },
          orderBy: { id: 'asc' },
          take: 50,
        }),
    }),
    foldersWithNotes: t.field({
      type: [Folder],
      args: { title: t.arg.string(name) },
      resolve: (_root, { title }, context) =>
        by('own relation filter')(context).folder.findMany({
          where: { notes: { some: { title } } },
          orderBy: { id: 'asc' },
          take: 50,
        }),
    }),
    notesByFolder: t.field({
      type: [Note],
      resolve: (_root, _args, context) =>
        by('own list')(context).note.findMany({
          orderBy: [{ folder: { name: 'asc' } }, { id: 'asc' }],
          take: 50,
        }),
    }),
    countOfNotes: t.int({
      resolve: (_root, _args, context) => by('own count')(context).note.count(),
    }),
    sumOfRanks: t.int({
      resolve: async (_root, _args, context) => {
        const { _sum: sum } = await by('own count')(context).note.aggregate({
          _sum: { rank: true },
        });
        return sum.rank ?? 0;
      },
    }),
    teamsOfNotes: t.stringList({
      resolve: async (_root, _args, context) => {
        const groups = await by('own count')(context).note.groupBy({
          by: ['team'],
          _count: true,
          orderBy: { team: 'asc' },
          take: 50,
        });
        return groups.map(({ team, _count: count }) => `${team}: ${count}`);
      },
    }),
    countInTransaction: t.int({
      resolve: (_root, _args, context) =>
        by('own count')(context).$transaction((inner) => inner.note.count()),
    }),
    noteOfCode: t.field({
      type: Note,
      nullable: true,
      args: { ownerId: t.arg.id({ rule: int64, required: true }), team: t.arg.string(name) },
      resolve: (_root, { ownerId, team }, context) =>
        by('own list')(context).note.findUnique({
          where: { ownerId_team_code: { ownerId: BigInt(ownerId), team, code: 1 } },
        }),
    }),
  }));
  builder.mutationFields((t) => ({
    raiseNotes: t.int({
      args: { title: t.arg.string(name) },
      resolve: async (_root, { title }, context) => {
        const { count } = await by('own changes')(context).note.updateMany({
          where: { title },
          data: { rank: { increment: 1 } },
        });
        return count;
      },
    }),
    removeNotes: t.int({
      args: { title: t.arg.string(name) },
      resolve: async (_root, { title }, context) => {
        const { count } = await by('own changes')(context).note.deleteMany({ where: { title } });
        return count;
      },
    }),
    moveNote: t.field({
      type: Note,
      args: {
        id: t.arg.id({ rule: int64, required: true }),
        folderId: t.arg.id({ rule: int64, required: true }),
      },
      resolve: (_root, { id, folderId }, context) =>
        by('own changes')(context).note.update({
          where: { id: BigInt(id) },
          data: { folder: { connect: { id: BigInt(folderId) } } },
        }),
    }),
    renameFolderOfNote: t.field({
      type: Note,
      args: { id: t.arg.id({ rule: int64, required: true }), name: t.arg.string(name) },
      resolve: (_root, args, context) =>
        by('own changes')(context).note.update({
          where: { id: BigInt(args.id) },
          data: { folder: { update: { name: args.name } } },
        }),
    }),
    ensureFolder: t.field({
      type: Folder,
      args: {
        ownerId: t.arg.id({ rule: int64, required: true }),
        team: t.arg.string(name),
        name: t.arg.string(name),
      },
      resolve: (_root, args, context) => {
        const key = { ownerId: BigInt(args.ownerId), team: args.team, name: args.name };
        return by('own changes')(context).folder.upsert({
          where: { ownerId_team_name: key },
          create: { ...key, rank: 0 },
          update: { rank: { increment: 1 } },
        });
      },
    }),
  }));
}
