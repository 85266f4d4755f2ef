import { expect, test } from 'vitest';
import { int64 } from '@store-gateway/graphql';
import { createStore } from '../../packages/gateway/src/store.ts';
import { models } from './generated/batched-models.ts';
import { newBuilder } from './schema.ts';

/* Startup rejects row rules that cannot be enforced, with an error that says what to do. */

/** The models without one of their indexes. */
const lacking = Object.fromEntries(
  Object.entries(models).map(([name, model]) => {
    const indexes = model.indexes.filter(
      ({ fields }) => fields.map(({ field }) => field).join() !== 'ownerId,label,id',
    );
    return [name, { ...model, indexes }];
  }),
);

type Builder = ReturnType<typeof newBuilder>;

function start(define: (builder: Builder) => void): void {
  const builder = newBuilder();
  builder.queryType({ fields: (t) => ({ any: t.boolean({ resolve: () => true }) }) });
  define(builder);
  const schema = builder.toSchema({ sortSchema: false });
  createStore({ schema, rest: { routes: [], basePath: '/v1', info: {} } }, lacking);
}

const where = () => ({ ownerId: 1n });
const owned = { columns: ['ownerId'], where };
const titled = (columns: readonly string[]) => (builder: Builder) => {
  builder.prismaObject('Note', {
    visible: { columns, where },
    fields: (t) => ({ title: t.exposeString('title') }),
  });
};

test.each([
  [titled([]), 'visible.columns of Note is empty'],
  [
    titled(['owner']),
    'visible.columns of Note contains owner, which is not a column: name a column of Note',
  ],
  [titled(['topic']), 'visible.columns of Note contains topic, which is not a column'],
  [titled(['topicId']), 'make it @@unique([topicId, ownerId, team, code])'],
  [
    (builder: Builder) => {
      for (const [name, visible] of [
        ['Note', owned],
        ['Other', { ...owned }],
      ] as const) {
        builder.prismaObject('Note', {
          ...(name === 'Other' && { variant: name }),
          visible,
          fields: (t) => ({ title: t.exposeString('title') }),
        });
      }
    },
    'Note and Other both belong to the model Note: set their option visible to the same constant',
  ],
  [
    (builder: Builder) => {
      builder.prismaObject('Folder', {
        visible: owned,
        fields: (t) => ({ name: t.exposeString('name') }),
      });
      builder.prismaObject('Note', {
        fields: (t) => ({ folder: t.relation('folder', { nullable: false, onNull: 'error' }) }),
      });
    },
    'Note.folder may refer to a row that is hidden from the caller: make it nullable',
  ],
  [
    (builder: Builder) => {
      const Tag = builder.prismaObject('Tag', {
        visible: { columns: ['label'], where },
        resource: { plural: 'tags' },
        fields: (t) => ({ label: t.exposeString('label') }),
      });
      builder.listField(Tag, {
        filters: (t) => ({ ownerId: t.id({ rule: int64 }) }),
        find: (query, { database }) => database.tag.findMany(query),
      });
    },
    'Query.tags would read more rows than it returns: add @@index([ownerId, label, id]) to the model Tag',
  ],
])('startup rejects row rules that cannot be enforced: %#', (define, message) => {
  expect(() => start(define)).toThrow(message);
});
