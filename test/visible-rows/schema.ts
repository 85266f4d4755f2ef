import SchemaBuilder from '@pothos/core';
import type { GraphQLSchema } from 'graphql';
import type { Caller } from '@store-gateway/access';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { integerBetween, int64, text } from '@store-gateway/graphql';
import { isJsonObject } from '@store-gateway/ops';
import type { Context } from '../../packages/gateway/src/definition.ts';
import { whereOf, type Design, type Model } from './design.ts';
import { models } from './generated/batched-models.ts';
import type { PrismaClient } from './generated/client.ts';
import type PrismaTypes from './generated/pothos.ts';
import { getDatamodel } from './generated/pothos.ts';
import { CHANGES, READS } from './own-resolvers.ts';

/**
 * What resolvers use the database for. A schema can leak at each of these: its resolver then uses a database client
 * without row rules.
 */
export const LEAKS = [
  'get',
  'list',
  'ordered list',
  'count',
  'create',
  'update',
  'replace',
  'find the row to change',
  'delete',
  'relation to one',
  'relation to many',
] as const;
export type Leak = (typeof LEAKS)[number];

export function newBuilder() {
  return new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
    builderOptions(models, getDatamodel()),
  );
}

type Builder = ReturnType<typeof newBuilder>;
type InputBuilder = Parameters<Parameters<Builder['inputType']>[1]['fields']>[0];

/** The inputs from which a schema's types are built. */
interface Parts {
  readonly builder: Builder;
  readonly design: Design;
  readonly leak: Leak | undefined;
  /** The database client that a resolver uses for a purpose. */
  readonly by: (what: Leak, context: Context<PrismaClient>) => PrismaClient;
}

const TEXT = text(1, 40);
const NUMBER = integerBetween(-100, 100);

/** Builds a design's schema, which may have a leak. */
export function schemaOf(design: Design, leak?: Leak): GraphQLSchema {
  const builder = newBuilder();
  builder.queryType({});
  builder.mutationType({});
  const parts: Parts = {
    builder,
    design,
    leak,
    by: (what, { database, unrestrictedDatabase }) =>
      leak === what ? unrestrictedDatabase : database,
  };
  const Topic = addTopics(parts);
  const Folder = addFolders(parts);
  const Note = addNotes(parts, { Topic, Folder });
  addTags(parts, Note);
  if (design.own) {
    addOwnFields(builder, Note);
  }
  return builder.toSchema({ sortSchema: false });
}

/** Returns a type's row rule, by the caller's name from authentication. */
function visibleBy({ rules }: Pick<Design, 'rules'>, model: Model) {
  const rule = rules[model];
  return (
    rule && {
      visible: {
        columns: rule.columns,
        where: ({ caller: { claims } }: { readonly caller: Caller }): unknown =>
          whereOf(rule.answers[String(isJsonObject(claims) && claims['name'])]),
      },
    }
  );
}

const topicInput = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  team: t.string({ rule: TEXT, required }),
  name: t.string({ rule: TEXT, required }),
});

/** Topics cannot be removed: hidden notes would make that fail, and the gateway cannot hide this (packages/data/README.md). */
function addTopics({ builder, design, by }: Parts) {
  const Topic = builder.prismaObject('Topic', {
    ...visibleBy(design, 'Topic'),
    resource: { plural: 'topics' },
    fields: (t) => ({
      id: t.exposeID('id'),
      team: t.exposeString('team'),
      name: t.exposeString('name'),
    }),
  });
  const topics = builder.listField(Topic, {
    ...(design.isOrdered && { orderBy: ['name'] }),
    find: (query, context) => by('list', context).topic.findMany(query),
  });
  builder.connectionField(topics);
  builder.getField(Topic, {
    shared: design.sharedGets,
    find: (query, context) => by('get', context).topic.findUnique(query),
  });
  builder.createField(Topic, {
    input: (t) => topicInput(t, true),
    create: (query, context) => by('create', context).topic.create(query),
  });
  builder.updateField(Topic, {
    input: (t) => topicInput(t, false),
    find: (query, context) => by('find the row to change', context).topic.findUnique(query),
    update: (query, context) => by('update', context).topic.update(query),
  });
  return Topic;
}

const folderInput = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  ownerId: t.id({ rule: int64 }),
  team: t.string({ rule: TEXT, required }),
  name: t.string({ rule: TEXT, required }),
  rank: t.int({ rule: NUMBER, required }),
  parentId: t.id({ rule: int64 }),
});

function addFolders({ builder, design, by }: Parts) {
  const Folder = builder.prismaObject('Folder', {
    ...visibleBy(design, 'Folder'),
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
      count: (query, context) => by('count', context).folder.count(query),
    }),
    find: (query, context) =>
      by(Array.isArray(query.orderBy) ? 'ordered list' : 'list', context).folder.findMany(query),
  });
  builder.connectionField(folders);
  builder.getField(Folder, {
    shared: design.sharedGets,
    find: (query, context) => by('get', context).folder.findUnique(query),
  });
  if (design.toMany) {
    const { limit, after } = folders.args;
    builder.prismaObjectField(Folder, 'children', (t) =>
      t.relation('children', { args: { limit, after }, query: folders.query }),
    );
  }
  builder.createField(Folder, {
    input: (t) => folderInput(t, true),
    create: (query, context) => by('create', context).folder.create(query),
  });
  builder.updateField(Folder, {
    input: (t) => folderInput(t, false),
    find: (query, context) => by('find the row to change', context).folder.findUnique(query),
    update: (query, context) => by('update', context).folder.update(query),
  });
  builder.deleteField(Folder, {
    find: (query, context) => by('find the row to change', context).folder.findUnique(query),
    delete: (query, context) => by('delete', context).folder.delete(query),
  });
  return Folder;
}

interface Above {
  readonly Topic: ReturnType<typeof addTopics>;
  readonly Folder: ReturnType<typeof addFolders>;
}

const noteInput = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  ownerId: t.id({ rule: int64, required }),
  team: t.string({ rule: TEXT, required }),
  title: t.string({ rule: TEXT, required }),
  code: t.int({ rule: NUMBER, required }),
  rank: t.int({ rule: NUMBER, required }),
  folderId: t.id({ rule: int64 }),
  topicId: t.id({ rule: int64, required }),
});

function addNotes({ builder, design, leak, by }: Parts, { Topic, Folder }: Above) {
  const { noteFilters, toOne, toMany } = design;
  const Note = builder.prismaObject('Note', {
    ...visibleBy(design, 'Note'),
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
          leak === 'relation to one'
            ? t.field({
                type: Folder,
                nullable: true,
                select: { folderId: true },
                resolve: ({ folderId }, _args, { unrestrictedDatabase }) =>
                  folderId === null
                    ? null
                    : unrestrictedDatabase.folder.findUnique({ where: { id: folderId } }),
              })
            : t.relation('folder', { nullable: true }),
        // Every note has a topic, but not every caller can see it.
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
    ...(design.isCounted && { count: (query, context) => by('count', context).note.count(query) }),
    find: (query, context) =>
      by(Array.isArray(query.orderBy) ? 'ordered list' : 'list', context).note.findMany(query),
  });
  builder.connectionField(notes);
  builder.getField(Note, {
    shared: design.sharedGets,
    find: (query, context) => by('get', context).note.findUnique(query),
  });
  if (toMany) {
    const args = { limit: notes.args.limit, after: notes.args.after };
    const ordered = { ...notes.orderArgs, ...args };
    builder.prismaObjectField(Folder, 'notes', (t) =>
      leak === 'relation to many'
        ? t.field({
            type: [Note],
            args: ordered,
            resolve: ({ id }, { limit }, { unrestrictedDatabase }) =>
              unrestrictedDatabase.note.findMany({
                where: { folderId: id },
                orderBy: { id: 'asc' },
                take: limit,
              }),
          })
        : t.relation('notes', { args: ordered, query: notes.query }),
    );
    builder.prismaObjectField(Topic, 'notes', (t) =>
      t.relation('notes', { args, query: notes.query }),
    );
  }
  builder.createField(Note, {
    input: (t) => noteInput(t, true),
    create: (query, context) => by('create', context).note.create(query),
  });
  builder.updateField(Note, {
    input: (t) => noteInput(t, false),
    find: (query, context) => by('find the row to change', context).note.findUnique(query),
    update: (query, context) => by('update', context).note.update(query),
  });
  builder.updateField(Note, {
    replaces: true,
    input: (t) => noteInput(t, true),
    find: (query, context) => by('find the row to change', context).note.findUnique(query),
    update: (query, context) => by('replace', context).note.update(query),
  });
  builder.deleteField(Note, {
    find: (query, context) => by('find the row to change', context).note.findUnique(query),
    delete: (query, context) => by('delete', context).note.delete(query),
  });
  return Note;
}

function addTags({ builder, design, by }: Parts, Note: ReturnType<typeof addNotes>): void {
  const Tag = builder.prismaObject('Tag', {
    ...visibleBy(design, 'Tag'),
    resource: { plural: 'tags' },
    fields: (t) => ({
      id: t.exposeID('id'),
      ownerId: t.exposeID('ownerId'),
      label: t.exposeString('label'),
      ...(design.toOne && { note: t.relation('note', { nullable: true }) }),
    }),
  });
  const tags = builder.listField(Tag, {
    filters: (t) => ({ noteId: t.id({ rule: int64 }) }),
    byIds: design.byIds,
    find: (query, context) => by('list', context).tag.findMany(query),
  });
  builder.connectionField(tags);
  builder.getField(Tag, { find: (query, context) => by('get', context).tag.findUnique(query) });
  if (design.toMany) {
    const { limit, after } = tags.args;
    builder.prismaObjectField(Note, 'tags', (t) =>
      t.relation('tags', { args: { limit, after }, query: tags.query }),
    );
  }
  builder.deleteField(Tag, {
    find: (query, context) => by('find the row to change', context).tag.findUnique(query),
    delete: (query, context) => by('delete', context).tag.delete(query),
  });
}

function digits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** Adds fields with the store's own resolvers. */
function addOwnFields(builder: Builder, Note: ReturnType<typeof addNotes>): void {
  const name = { rule: TEXT, required: true } as const;
  const argsOf = (type: string, own: typeof READS) => {
    const Ask = builder.enumType(type, { values: [...own.keys()] });
    return builder.args((t) => ({
      ask: t.field({ type: Ask, required: true }),
      id: t.id({ rule: int64, required: true }),
      ownerId: t.id({ rule: int64, required: true }),
      team: t.string(name),
      name: t.string(name),
    }));
  };
  type Args = Record<'ask' | 'id' | 'ownerId' | 'team' | 'name', string>;
  const answer = async (
    own: typeof READS,
    { ask, id, ownerId, ...texts }: Args,
    { database }: Context<PrismaClient>,
  ) => {
    const given = { ...texts, id: BigInt(id), ownerId: BigInt(ownerId) };
    const found = await own.get(ask)?.(database, given);
    const json: unknown = JSON.parse(JSON.stringify(found ?? null, digits));
    return json;
  };
  builder.queryFields((t) => ({
    own: t.field({
      type: builder.jsonType(),
      nullable: true,
      shared: true,
      args: argsOf('OwnRead', READS),
      resolve: (_root, args, context) => answer(READS, args, context),
    }),
    firstNote: t.field({
      type: Note,
      nullable: true,
      args: { name: t.arg.string(name) },
      resolve: (_root, args, { database: { note } }) =>
        note.findFirst({
          where: { title: { contains: args.name } },
          orderBy: { id: 'asc' },
        }),
    }),
  }));
  builder.mutationFields((t) => ({
    change: t.field({
      type: builder.jsonType(),
      nullable: true,
      args: argsOf('OwnChange', CHANGES),
      resolve: (_root, args, context) => answer(CHANGES, args, context),
    }),
  }));
}
