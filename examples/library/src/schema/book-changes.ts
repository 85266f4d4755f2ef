import { int64, text } from '@store-gateway/graphql';
import { Book } from './book.ts';
import { builder, type InputFields } from './builder.ts';

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
