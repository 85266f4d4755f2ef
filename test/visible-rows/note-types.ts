import { integerBetween, int64, text } from '@store-gateway/graphql';
import { ruleOf, type SchemaParts } from './builder.ts';
import { shareWithAnybody } from './leaks.ts';
import type { TopicsAndFolders } from './shelf-types.ts';

const TEXT = text(1, 40);
const NUMBER = integerBetween(-100, 100);

/** Notes in folders, and their tags. */
export function addNotesAndTags(
  { builder, design, leaking, by }: SchemaParts,
  { Folder, Topic }: TopicsAndFolders,
) {
  const { noteFilters, toOne, toMany } = design;
  const Note = builder.prismaObject('Note', {
    ...ruleOf(design, 'Note'),
    resource: { plural: 'notes' },
    fields: (t) => ({
      id: t.exposeID('id'),
      ownerId: t.exposeID('ownerId'),
      team: t.exposeString('team'),
      title: t.exposeString('title'),
      code: t.exposeInt('code'),
      rank: t.exposeInt('rank'),
      ...(toOne && {
        folder:
          leaking?.leak === 'relation to one'
            ? t.field({
                type: Folder,
                nullable: true,
                select: { folderId: true },
                resolve: ({ folderId }) =>
                  folderId === null
                    ? null
                    : leaking.unrestricted.folder.findUnique({ where: { id: folderId } }),
              })
            : t.relation('folder', { nullable: true }),
        // A note is always of a topic, but not everybody sees that.
        topic: t.relation('topic', { nullable: true }),
      }),
    }),
  });
  const notes = builder.listField(Note, {
    filters: (t) => ({
      ...(noteFilters === 'folderId' && { folderId: t.id({ rule: int64 }) }),
      ...(noteFilters === 'folderIds' && { folderId: t.idList({ rule: int64, maxItems: 4 }) }),
      ...(noteFilters === 'ownerId' && { ownerId: t.id({ rule: int64 }) }),
    }),
    ...(design.isOrdered && {
      orderBy: ['title', ['-rank', 'title']],
      ranges: ['rank'],
      prefixes: ['title'],
    }),
    ...(design.isSearched && { search: ['title'] }),
    byIds: design.byIds,
    ...(design.isCounted && { count: (query, context) => by('count')(context).note.count(query) }),
    find: (query, context) => {
      const what = Array.isArray(query.orderBy) ? 'ordered list' : 'list';
      const find = () => by(what)(context).note.findMany(query);
      return leaking?.leak === 'shared list'
        ? shareWithAnybody(query, find, Array.isArray)
        : find();
    },
  });
  builder.connectionField(notes);
  builder.getField(Note, {
    shared: design.sharedGets,
    find: (query, context) => by('get')(context).note.findUnique(query),
  });
  if (toMany) {
    const args = { limit: notes.args.limit, after: notes.args.after };
    builder.prismaObjectField(Folder, 'notes', (t) =>
      leaking?.leak === 'relation to many'
        ? t.field({
            type: [Note],
            args: { ...notes.orderArgs, ...args },
            resolve: ({ id }, given) =>
              leaking.unrestricted.note.findMany({
                where: { folderId: id },
                orderBy: { id: 'asc' },
                take: given.limit,
              }),
          })
        : t.relation('notes', { args: { ...notes.orderArgs, ...args }, query: notes.query }),
    );
    builder.prismaObjectField(Topic, 'notes', (t) =>
      t.relation('notes', { args, query: notes.query }),
    );
  }
  const whole = (t: Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]) => ({
    ownerId: t.id({ rule: int64, required: true }),
    team: t.string({ rule: TEXT, required: true }),
    title: t.string({ rule: TEXT, required: true }),
    code: t.int({ rule: NUMBER, required: true }),
    rank: t.int({ rule: NUMBER, required: true }),
    folderId: t.id({ rule: int64 }),
    topicId: t.id({ rule: int64, required: true }),
  });
  builder.createField(Note, {
    input: whole,
    create: (query, context) => by('create')(context).note.create(query),
  });
  builder.updateField(Note, {
    input: (t) => ({
      ownerId: t.id({ rule: int64 }),
      team: t.string({ rule: TEXT }),
      title: t.string({ rule: TEXT }),
      code: t.int({ rule: NUMBER }),
      rank: t.int({ rule: NUMBER }),
      folderId: t.id({ rule: int64 }),
      topicId: t.id({ rule: int64 }),
    }),
    find: (query, context) => by('find the row to change')(context).note.findUnique(query),
    update: (query, context) => by('update')(context).note.update(query),
  });
  builder.updateField(Note, {
    replaces: true,
    input: whole,
    find: (query, context) => by('find the row to change')(context).note.findUnique(query),
    update: (query, context) => by('replace')(context).note.update(query),
  });
  builder.deleteField(Note, {
    find: (query, context) => by('find the row to change')(context).note.findUnique(query),
    delete: (query, context) => by('delete')(context).note.delete(query),
  });

  const Tag = builder.prismaObject('Tag', {
    ...ruleOf(design, 'Tag'),
    resource: { plural: 'tags' },
    fields: (t) => ({
      id: t.exposeID('id'),
      ownerId: t.exposeID('ownerId'),
      label: t.exposeString('label'),
      ...(toOne && { note: t.relation('note', { nullable: true }) }),
    }),
  });
  const tags = builder.listField(Tag, {
    filters: (t) => ({ noteId: t.id({ rule: int64 }) }),
    byIds: design.byIds,
    find: (query, context) => by('list')(context).tag.findMany(query),
  });
  builder.connectionField(tags);
  builder.getField(Tag, { find: (query, context) => by('get')(context).tag.findUnique(query) });
  if (toMany) {
    builder.prismaObjectField(Note, 'tags', (t) =>
      t.relation('tags', {
        args: { limit: tags.args.limit, after: tags.args.after },
        query: tags.query,
      }),
    );
  }
  builder.deleteField(Tag, {
    find: (query, context) => by('find the row to change')(context).tag.findUnique(query),
    delete: (query, context) => by('delete')(context).tag.delete(query),
  });
  return { Note };
}
