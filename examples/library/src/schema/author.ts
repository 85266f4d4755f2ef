import { text } from '@gateway/pothos-plugins/input-rules';
import { builder } from './builder.ts';
import { books } from './book.ts';

const Author = builder.prismaObject('Author', {
  description: 'Who has written books.',
  resource: { plural: 'authors', about: 'The authors of the books.' },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, assigned by the service.' }),
    name: t.exposeString('name', { description: "The author's name.", example: 'Astrid Lindgren' }),
    books: t.relation('books', {
      description: 'Their books, in the order of their ids.',
      args: books.args,
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

const NewAuthor = builder.inputType('NewAuthor', {
  description: 'An author to add.',
  fields: (t) => ({
    name: t.string({ ...NAME, required: true }),
  }),
});

builder.mutationField('createAuthor', (t) =>
  t.field({
    type: Author,
    description: 'Adds an author.',
    args: {
      input: t.arg({ type: NewAuthor, required: true, description: 'The author to add.' }),
    },
    idempotency: true,
    resolve: (_root, { input }, { database }) =>
      database.author.create({ data: { name: input.name } }),
  }),
);

builder.updateField(Author, {
  input: (t) => ({ name: t.string(NAME) }),
  find: (query, { database }) => database.author.findUnique(query),
  update: (query, { database }) => database.author.update(query),
  expected: 'required',
});
builder.updateField(Author, {
  replaces: true,
  input: (t) => ({ name: t.string({ ...NAME, required: true }) }),
  find: (query, { database }) => database.author.findUnique(query),
  update: (query, { database }) => database.author.update(query),
});
builder.deleteField(Author, {
  find: (query, { database }) => database.author.findUnique(query),
  delete: (query, { database }) => database.author.delete(query),
  expected: 'required',
});
