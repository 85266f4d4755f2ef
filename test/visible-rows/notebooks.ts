import type { StoreApi } from '../../packages/gateway/src/definition.ts';
import SchemaBuilder from '@pothos/core';
import type { Caller } from '@store-gateway/access';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { int64, integerBetween, text } from '@store-gateway/graphql';
import type { RowRules } from '@store-gateway/data';
import { models } from './generated/batched-models.ts';
import type { PrismaClient } from './generated/client.ts';
import type PrismaTypes from './generated/pothos.ts';
import { getDatamodel } from './generated/pothos.ts';
import { ROUTES } from './notebook-routes.ts';
import { OWN } from './own-resolvers.ts';

type Rule = RowRules<{ readonly caller: Caller }>[string];

/** The names of keys, by their ids. */
export const keyNames = new Map<bigint, string>();

/** What callers see, by the names of their keys; others see nothing. */
const OWNERS: Readonly<Record<string, unknown>> = {
  staff: true,
  ann: { ownerId: 1n },
  bob: { ownerId: { in: [2n, 3n] } },
  promise: Promise.resolve(true),
  undefined: { ownerId: undefined },
  empty: {},
  null: { ownerId: null },
  other: { title: 'ann-1' },
};

export const owned: Rule = {
  columns: ['ownerId'],
  where: ({ caller }) => OWNERS[keyNames.get(caller.id) ?? ''],
};

export const newBuilder = () =>
  new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
    builderOptions(models, getDatamodel()),
  );

const NAME = { rule: text(1, 40) };

/** Notes and folders that have an owner, of topics that everybody sees. */
export function createApi(): StoreApi<PrismaClient> {
  const builder = newBuilder();
  builder.queryType({});
  builder.mutationType({});
  const Folder = builder.prismaObject('Folder', {
    visible: owned,
    resource: { plural: 'folders' },
    fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }),
  });
  const Topic = builder.prismaObject('Topic', {
    resource: { plural: 'topics' },
    fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }),
  });
  const Note = builder.prismaObject('Note', {
    visible: owned,
    resource: { plural: 'notes' },
    fields: (t) => ({
      id: t.exposeID('id'),
      title: t.exposeString('title'),
      ownerId: t.exposeID('ownerId'),
      folder: t.relation('folder', { nullable: true }),
      topic: t.relation('topic'),
    }),
  });
  const topics = builder.listField(Topic, {
    find: (query, { database }) => database.topic.findMany(query),
  });
  builder.connectionField(topics);
  builder.getField(Topic, { find: (query, { database }) => database.topic.findUnique(query) });
  builder.deleteField(Topic, {
    find: (query, { database }) => database.topic.findUnique(query),
    delete: (query, { database }) => database.topic.delete(query),
  });
  const notes = builder.listField(Note, {
    filters: (t) => ({ folderId: t.id({ rule: int64 }) }),
    orderBy: ['title'],
    byIds: true,
    find: (query, { database }) => database.note.findMany(query),
    count: (query, { database }) => database.note.count(query),
  });
  builder.connectionField(notes);
  builder.getField(Note, { find: (query, { database }) => database.note.findUnique(query) });
  builder.getField(Folder, { find: (query, { database }) => database.folder.findUnique(query) });
  const { limit, after } = notes.args;
  builder.prismaObjectField(Topic, 'notes', (t) =>
    t.relation('notes', { args: { limit, after }, query: notes.query }),
  );
  builder.prismaObjectField(Folder, 'notes', (t) =>
    t.relation('notes', { args: { ...notes.orderArgs, limit, after }, query: notes.query }),
  );
  builder.createField(Note, {
    input: (t) => ({
      title: t.string({ ...NAME, required: true }),
      ownerId: t.id({ rule: int64, required: true }),
      topicId: t.id({ rule: int64, required: true }),
      folderId: t.id({ rule: int64 }),
      code: t.int({ required: true, rule: integerBetween(0, 99) }),
    }),
    create: ({ data }, { database }) =>
      database.note.create({ data: { team: 'red', rank: 0, ...data } }),
  });
  builder.createField(Folder, {
    input: (t) => ({ name: t.string({ ...NAME, required: true }) }),
    create: ({ data }, { database }) =>
      database.folder.create({ data: { team: 'red', rank: 0, ...data } }),
  });
  builder.updateField(Note, {
    input: (t) => ({
      title: t.string(NAME),
      folderId: t.id({ rule: int64 }),
      ownerId: t.id({ rule: int64 }),
    }),
    find: (query, { database }) => database.note.findUnique(query),
    update: (query, { database }) => database.note.update(query),
  });
  builder.deleteField(Note, {
    find: (query, { database }) => database.note.findUnique(query),
    delete: (query, { database }) => database.note.delete(query),
  });
  addOwn(builder);
  return {
    schema: builder.toSchema({ sortSchema: false }),
    rest: { routes: ROUTES, basePath: '/v1', info: { title: 'Notebooks', version: '1.0.0' } },
    mount: (router, { authenticate, database, databaseOf, unrestrictedDatabase }) => {
      router.get('/mounted', async (request, response) => {
        const caller = await authenticate(request, response);
        const clients = [database, databaseOf(caller), unrestrictedDatabase];
        response.json(await Promise.all(clients.map(({ note }) => note.count())));
      });
    },
  };
}

function addOwn(builder: ReturnType<typeof newBuilder>): void {
  builder.queryFields((t) => ({
    own: t.field({
      type: builder.jsonType(),
      nullable: true,
      shared: true,
      args: { ask: t.arg.string({ ...NAME, required: true }) },
      resolve: async (_root, { ask }, context) => {
        const answer = await OWN[ask]?.(context);
        const json: unknown = JSON.parse(JSON.stringify(answer ?? null, asText));
        return json;
      },
    }),
  }));
}

function asText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
