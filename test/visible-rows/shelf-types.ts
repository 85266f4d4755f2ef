import { integerBetween, int64, text } from '@store-gateway/graphql';
import { removesTopics } from './design.ts';
import { ruleOf, type SchemaParts } from './builder.ts';

const TEXT = text(1, 40);
const NUMBER = integerBetween(-100, 100);

/** Topics, which notes are of; and folders, which are in each other. */
export function addTopicsAndFolders({ builder, design, by }: SchemaParts) {
  const Topic = builder.prismaObject('Topic', {
    ...ruleOf(design, 'Topic'),
    resource: { plural: 'topics' },
    fields: (t) => ({
      id: t.exposeID('id'),
      team: t.exposeString('team'),
      name: t.exposeString('name'),
    }),
  });
  const topics = builder.listField(Topic, {
    ...(design.isOrdered && { orderBy: ['name'] }),
    find: (query, context) => by('list')(context).topic.findMany(query),
  });
  builder.connectionField(topics);
  builder.getField(Topic, {
    shared: design.sharedGets,
    find: (query, context) => by('get')(context).topic.findUnique(query),
  });
  builder.createField(Topic, {
    input: (t) => ({
      team: t.string({ rule: TEXT, required: true }),
      name: t.string({ rule: TEXT, required: true }),
    }),
    create: (query, context) => by('create')(context).topic.create(query),
  });
  builder.updateField(Topic, {
    input: (t) => ({ team: t.string({ rule: TEXT }), name: t.string({ rule: TEXT }) }),
    find: (query, context) => by('find the row to change')(context).topic.findUnique(query),
    update: (query, context) => by('update')(context).topic.update(query),
  });

  if (removesTopics(design)) {
    builder.deleteField(Topic, {
      find: (query, context) => by('find the row to change')(context).topic.findUnique(query),
      delete: (query, context) => by('delete')(context).topic.delete(query),
    });
  }

  const Folder = builder.prismaObject('Folder', {
    ...ruleOf(design, 'Folder'),
    resource: { plural: 'folders' },
    fields: (t) => ({
      id: t.exposeID('id'),
      ownerId: t.exposeID('ownerId', { nullable: true }),
      team: t.exposeString('team'),
      name: t.exposeString('name'),
      rank: t.exposeInt('rank'),
      ...(design.toOne && { parent: t.relation('parent', { nullable: true }) }),
    }),
  });
  const folders = builder.listField(Folder, {
    filters: (t) => ({
      ...(design.folderFilters === 'parentId' && { parentId: t.id({ rule: int64 }) }),
      ...(design.folderFilters === 'team' && { team: t.string({ rule: TEXT }) }),
    }),
    ...(design.isOrdered && {
      orderBy: ['name', ['-rank', 'name']],
      ranges: ['rank'],
      prefixes: ['name'],
    }),
    ...(design.isSearched && { search: ['name'] }),
    byIds: design.byIds,
    ...(design.isCounted && {
      count: (query, context) => by('count')(context).folder.count(query),
    }),
    find: (query, context) =>
      by(Array.isArray(query.orderBy) ? 'ordered list' : 'list')(context).folder.findMany(query),
  });
  builder.connectionField(folders);
  builder.getField(Folder, {
    shared: design.sharedGets,
    find: (query, context) => by('get')(context).folder.findUnique(query),
  });
  if (design.toMany) {
    builder.prismaObjectField(Folder, 'children', (t) =>
      t.relation('children', {
        args: { limit: folders.args.limit, after: folders.args.after },
        query: folders.query,
      }),
    );
  }
  builder.createField(Folder, {
    input: (t) => ({
      ownerId: t.id({ rule: int64 }),
      team: t.string({ rule: TEXT, required: true }),
      name: t.string({ rule: TEXT, required: true }),
      rank: t.int({ rule: NUMBER, required: true }),
      parentId: t.id({ rule: int64 }),
    }),
    create: (query, context) => by('create')(context).folder.create(query),
  });
  builder.updateField(Folder, {
    input: (t) => ({
      ownerId: t.id({ rule: int64 }),
      team: t.string({ rule: TEXT }),
      name: t.string({ rule: TEXT }),
      rank: t.int({ rule: NUMBER }),
      parentId: t.id({ rule: int64 }),
    }),
    find: (query, context) => by('find the row to change')(context).folder.findUnique(query),
    update: (query, context) => by('update')(context).folder.update(query),
  });
  builder.deleteField(Folder, {
    find: (query, context) => by('find the row to change')(context).folder.findUnique(query),
    delete: (query, context) => by('delete')(context).folder.delete(query),
  });
  return { Topic, Folder, folders };
}

export type TopicsAndFolders = ReturnType<typeof addTopicsAndFolders>;
