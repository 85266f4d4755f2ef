import { text } from '@store-gateway/graphql';
import { builder } from './builder.ts';

const Book = builder.prismaObject('Book', {
  description: 'A book.',
  resource: { plural: 'books', about: 'The books of the store.' },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, assigned by the service.' }),
    name: t.exposeString('name', { description: 'Its name.', example: 'First book' }),
  }),
});

export const books = builder.listField(Book, {
  find: (query, { database }) => database.book.findMany(query),
});
builder.connectionField(books);
builder.getField(Book, { find: (query, { database }) => database.book.findUnique(query) });

const NAME = { rule: text(1, 255), description: 'Its name.' };

builder.createField(Book, {
  input: (t) => ({ name: t.string({ ...NAME, required: true }) }),
  create: (query, { database }) => database.book.create(query),
});
builder.updateField(Book, {
  input: (t) => ({ name: t.string(NAME) }),
  find: (query, { database }) => database.book.findUnique(query),
  update: (query, { database }) => database.book.update(query),
});
builder.deleteField(Book, {
  find: (query, { database }) => database.book.findUnique(query),
  delete: (query, { database }) => database.book.delete(query),
});
