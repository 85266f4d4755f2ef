import SchemaBuilder from '@pothos/core';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { int64, text } from '@store-gateway/graphql';
import { models } from '../../examples/library/prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../examples/library/prisma/generated/client.ts';
import type PrismaTypes from '../../examples/library/prisma/generated/pothos.ts';
import { getDatamodel } from '../../examples/library/prisma/generated/pothos.ts';

/* A library in which something of each kind needs a scope. */

const builder = new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
  builderOptions(models, getDatamodel()),
);

const Loan = builder.prismaObject('Loan', {
  resource: { plural: 'loans' },
  scopes: ['people'],
  fields: (t) => ({
    id: t.exposeID('id'),
    borrower: t.exposeString('borrower'),
    due: t.expose('due', { type: builder.timestampType(), nullable: true, scopes: ['days'] }),
  }),
});
const loans = builder.listField(Loan, {
  filters: (t) => ({ bookId: t.id({ rule: int64 }) }),
  orderBy: ['due', ['-due', 'borrower']],
  ranges: ['due'],
  count: (query, { database }) => database.loan.count(query),
  find: (query, { database }) => database.loan.findMany(query),
});
builder.connectionField(loans);
builder.getField(Loan, { find: (query, { database }) => database.loan.findUnique(query) });

const Book = builder.prismaObject('Book', {
  resource: { plural: 'books' },
  fields: (t) => ({
    id: t.exposeID('id'),
    title: t.exposeString('title', { nullable: true, scopes: ['titles'] }),
    isbn: t.exposeString('isbn'),
    loans: t.relation('loans', { args: loans.args, query: loans.query }),
  }),
});
const books = builder.listField(Book, {
  filters: (t) => ({
    title: t.string({ rule: text(1, 100) }),
    authorId: t.id({ rule: int64, scopes: ['authors'] }),
  }),
  orderBy: ['title'],
  prefixes: ['title'],
  search: ['title'],
  find: (query, { database }) => database.book.findMany(query),
});
builder.connectionField(books);
builder.getField(Book, { find: (query, { database }) => database.book.findUnique(query) });

const { authorId: _ofOne, ...args } = books.args;
const Author = builder.prismaObject('Author', {
  resource: { plural: 'authors' },
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    books: t.relation('books', { args, query: books.query }),
  }),
});
builder.listField(Author, { find: (query, { database }) => database.author.findMany(query) });
builder.getField(Author, { find: (query, { database }) => database.author.findUnique(query) });

builder.createField(Book, {
  input: (t) => ({
    title: t.string({ required: true, rule: text(1, 100) }),
    isbn: t.string({ required: true, rule: text(1, 13) }),
    authorId: t.id({ required: true, rule: int64 }),
    published: t.field({ type: builder.dateType(), scopes: ['publish'] }),
  }),
  create: (query, { database }) => database.book.create(query),
});
builder.updateField(Book, {
  input: (t) => ({
    isbn: t.string({ rule: text(1, 13) }),
    title: t.string({ rule: text(1, 100) }),
  }),
  find: (query, { database }) => database.book.findUnique(query),
  update: (query, { database }) => database.book.update(query),
});
builder.updateField(Book, {
  name: 'retitleBook',
  input: (t) => ({ title: t.string({ rule: text(1, 100), scopes: [] }) }),
  find: (query, { database }) => database.book.findUnique(query),
  update: (query, { database }) => database.book.update(query),
});
builder.deleteField(Book, {
  scopes: ['remove'],
  find: (query, { database }) => database.book.findUnique(query),
  delete: (query, { database }) => database.book.delete(query),
});

const Query = builder.queryType({});
/** A field of Query's within a mutation's result, which is as much a field of Query. */
const Done = builder.objectRef<object>('Done').implement({
  fields: (t) => ({
    query: t.field({ type: Query, resolve: () => ({}) }),
    book: t.field({
      type: Book,
      resolve: (_root, _args, { database }) =>
        database.book.findFirstOrThrow({ orderBy: { id: 'asc' } }),
    }),
  }),
});
builder.mutationField('nothing', (t) => t.field({ type: Done, resolve: () => ({}) }));

let executions = 0;
/** Numbers executions: who shares one gets the same number. */
builder.queryField('execution', (t) =>
  t.int({
    shared: true,
    resolve: async (_root, _args, { database }) => {
      await database.author.count({});
      executions += 1;
      return executions;
    },
  }),
);

builder.mutationType({});

export const guardedSchema = builder.toSchema({ sortSchema: false });

/** The scopes of its store, beside `read` and `write`. */
export const GUARDED_SCOPES = {
  people: 'See who borrows.',
  days: 'See until when.',
  titles: 'See titles.',
  authors: 'Find books by their author.',
  publish: 'Say when a book was published.',
  remove: 'Remove books.',
};
