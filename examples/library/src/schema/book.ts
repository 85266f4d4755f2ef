import { int64 } from '@store-gateway/graphql';
import { builder } from './builder.ts';
import { loans } from './loan.ts';

export const Book = builder.prismaObject('Book', {
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
      description: 'Its loans, ordered by id.',
      args: { limit: loans.args.limit, after: loans.args.after },
      query: loans.query,
    }),
  }),
});

export const books = builder.listField(Book, {
  filters: (t) => ({
    authorId: t.idList({ rule: int64, maxItems: 20, description: 'Only books by these authors.' }),
  }),
  orderBy: ['title'],
  prefixes: ['title'],
  search: ['title'],
  count: (query, { database }) => database.book.count(query),
  find: (query, { database }) => database.book.findMany(query),
});
builder.connectionField(books);
builder.getField(Book, { find: (query, { database }) => database.book.findUnique(query) });
