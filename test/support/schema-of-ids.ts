import type { GraphQLSchema } from 'graphql';
import { libraryBuilder } from './library.ts';

/** Lists, connections and gets of rows whose ids are of each type: integers of two sizes, text and UUIDs. */
export function schemaOfIds(): GraphQLSchema {
  const builder = libraryBuilder();
  const Author = builder.prismaObject('Author', {
    resource: { plural: 'authors' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  const Book = builder.prismaObject('Book', {
    resource: { plural: 'books' },
    fields: (t) => ({ id: t.exposeID('id'), authorId: t.exposeID('authorId') }),
  });
  const Note = builder.prismaObject('WithCuid', {
    name: 'Note',
    resource: { plural: 'notes' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  const Item = builder.prismaObject('Item', {
    resource: { plural: 'items' },
    fields: (t) => ({ id: t.exposeID('id'), shelfId: t.exposeID('shelfId') }),
  });
  const items = builder.listField(Item, {
    filters: (t) => ({ shelfId: t.id() }),
    find: (query, { database }) => database.item.findMany(query),
  });
  const Shelf = builder.prismaObject('Shelf', {
    resource: { plural: 'shelves' },
    fields: (t) => ({
      id: t.exposeID('id'),
      items: t.relation('items', { args: items.args, query: items.query }),
    }),
  });
  builder.connectionField(items);
  builder.connectionField(
    builder.listField(Author, { find: (query, { database }) => database.author.findMany(query) }),
  );
  builder.connectionField(
    builder.listField(Book, {
      filters: (t) => ({ authorId: t.id() }),
      find: (query, { database }) => database.book.findMany(query),
    }),
  );
  builder.connectionField(
    builder.listField(Note, { find: (query, { database }) => database.withCuid.findMany(query) }),
  );
  builder.connectionField(
    builder.listField(Shelf, { find: (query, { database }) => database.shelf.findMany(query) }),
  );
  builder.getField(Author, { find: (query, { database }) => database.author.findUnique(query) });
  builder.getField(Book, { find: (query, { database }) => database.book.findUnique(query) });
  builder.getField(Note, { find: (query, { database }) => database.withCuid.findUnique(query) });
  builder.getField(Shelf, { find: (query, { database }) => database.shelf.findUnique(query) });
  builder.queryType({});
  return builder.toSchema({ sortSchema: false });
}
