import { int64, text } from '@gateway/pothos-plugins/input-rules';
import { builder, type InputFields } from './builder.ts';
import { loans } from './loan.ts';

const Book = builder.prismaObject('Book', {
  description: 'A book of the library.',
  resource: { plural: 'books', about: 'The books of the library.' },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, assigned by the service.' }),
    title: t.exposeString('title', { description: "The book's title.", example: 'Mio, My Son' }),
    isbn: t.exposeString('isbn', { description: 'Its ISBN.', example: '9780670477579' }),
    published: t.expose('published', {
      type: builder.dateType(),
      nullable: true,
      description: 'When it was published.',
    }),
    author: t.relation('author', { description: 'Who has written it.' }),
    loans: t.relation('loans', {
      description: 'Its loans, in the order of their ids.',
      args: { limit: loans.args.limit, after: loans.args.after },
      query: loans.query,
    }),
  }),
});

export const books = builder.listField(Book, {
  find: (query, { database }) => database.book.findMany(query),
});
builder.connectionField(books);
builder.getField(Book, { find: (query, { database }) => database.book.findUnique(query) });

const TITLE = { rule: text(1, 500), description: "The book's title." };
const ISBN = { rule: text(10, 13), description: 'Its ISBN.' };
const PUBLISHED = { type: builder.dateType(), description: 'When it was published.' };
const AUTHOR_ID = { rule: int64, description: 'Who has written it.' };

const whole = (t: InputFields) => ({
  title: t.string({ ...TITLE, required: true }),
  isbn: t.string({ ...ISBN, required: true }),
  published: t.field(PUBLISHED),
  authorId: t.id({ ...AUTHOR_ID, required: true }),
});
builder.createField(Book, {
  input: whole,
  create: (query, { database }) => database.book.create(query),
});
builder.updateField(Book, {
  input: (t) => ({
    title: t.string(TITLE),
    isbn: t.string(ISBN),
    published: t.field(PUBLISHED),
    authorId: t.id(AUTHOR_ID),
  }),
  find: (query, { database }) => database.book.findUnique(query),
  update: (query, { database }) => database.book.update(query),
});
builder.updateField(Book, {
  replaces: true,
  input: whole,
  find: (query, { database }) => database.book.findUnique(query),
  update: (query, { database }) => database.book.update(query),
});
builder.deleteField(Book, {
  find: (query, { database }) => database.book.findUnique(query),
  delete: (query, { database }) => database.book.delete(query),
});
