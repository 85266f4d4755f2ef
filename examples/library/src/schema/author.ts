import { text } from '@store-gateway/graphql';
import { builder } from './builder.ts';
import { books } from './book.ts';

const { authorId: _ofOne, ...args } = books.args;

const Author = builder.prismaObject('Author', {
  description: 'Who has written books.',
  resource: { plural: 'authors', about: 'The authors of the books.' },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, assigned by the service.' }),
    name: t.exposeString('name', { description: "The author's name.", example: 'Astrid Lindgren' }),
    books: t.relation('books', {
      description: 'Their books, ordered by id unless `orderBy` says otherwise.',
      args,
      query: books.query,
    }),
  }),
});

builder.connectionField(
  builder.listField(Author, { find: (query, { database }) => database.author.findMany(query) }),
);
builder.getField(Author, {
  find: (query, { database }) => database.author.findUnique(query),
  deprecation: {
    since: '2026-11-24',
    removal: '2031-01-01',
    replacement: { inWords: 'the list of authors', fields: ['authors', 'authorsConnection'] },
  },
});

const NAME = { rule: text(1, 200), description: "The author's name." };

builder.createField(Author, {
  input: (t) => ({ name: t.string({ ...NAME, required: true }) }),
  create: (query, { database }) => database.author.create(query),
});
builder.updateField(Author, {
  input: (t) => ({ name: t.string(NAME) }),
  find: (query, { database }) => database.author.findUnique(query),
  update: (query, { database }) => database.author.update(query),
  expected: 'required',
});
builder.deleteField(Author, {
  find: (query, { database }) => database.author.findUnique(query),
  delete: (query, { database }) => database.author.delete(query),
  expected: 'required',
});
