import type { StoreApi } from '../../packages/gateway/src/definition.ts';
import { createGateway, startGateway } from '@store-gateway/gateway';
import { PAGE_INFO } from '@store-gateway/rest';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import { routesOf } from './declared-store.ts';
import { keptForFile } from './clean-up.ts';
import { emptyDatabase } from './new-database.ts';
import { requestOf, sendTo, type Answer } from './gateway.ts';
import SchemaBuilder from '@pothos/core';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { int64, text } from '@store-gateway/graphql';
import { models } from '../../examples/library/prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../examples/library/prisma/generated/client.ts';
import type PrismaTypes from '../../examples/library/prisma/generated/pothos.ts';
import { getDatamodel } from '../../examples/library/prisma/generated/pothos.ts';

/* A library in which something of each kind requires a scope. */

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
/** A Query field within a mutation's result must be guarded like any other Query field. */
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
/** Numbers executions: requests that share one get the same number. */
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

const guardedSchema = builder.toSchema({ sortSchema: false });

/** The store's scopes in addition to `read` and `write`. */
const GUARDED_SCOPES = {
  people: 'See who borrows.',
  days: 'See until when.',
  titles: 'See titles.',
  authors: 'Find books by their author.',
  publish: 'Say when a book was published.',
  remove: 'Remove books.',
};

/** All scopes that a caller can have. */
export const ALL_SCOPES: readonly string[] = ['read', 'write', ...Object.keys(GUARDED_SCOPES)];

export function allScopesBut(...lacking: readonly string[]): readonly string[] {
  return ALL_SCOPES.filter((scope) => !lacking.includes(scope));
}

const listed = (name: string, fields: string, variables = '', given = '') =>
  `query ${name}($limit: Int, $after: ID${variables}) {
    booksConnection(limit: $limit, after: $after${given}) { nodes { ${fields} } ${PAGE_INFO} }
  }`;

const routes = routesOf({
  'get /books': listed('listBooks', 'id isbn title'),
  'get /stock': listed(
    'listStock',
    'id isbn',
    ', $title: String, $authorId: ID, $sort: [BookOrder!], $titlePrefix: String, $search: String',
    ', title: $title, authorId: $authorId, orderBy: $sort, titlePrefix: $titlePrefix, search: $search',
  ),
  'get /books/:bookId': 'query getBook($bookId: ID!) { book(id: $bookId) { id isbn title } }',
  'get /stock/:bookId': 'query getStock($bookId: ID!) { book(id: $bookId) { id isbn } }',
  'get /loans': `query listLoans($limit: Int, $after: ID) {
    loansConnection(limit: $limit, after: $after) { nodes { id borrower } totalCount ${PAGE_INFO} }
  }`,
  'get /loans/:loanId': 'query getLoan($loanId: ID!) { loan(id: $loanId) { id borrower } }',
  'get /books/:bookId/loans': `query listLoansOfBook($bookId: ID!, $limit: Int, $after: ID) {
    book(id: $bookId) { id }
    loansConnection(bookId: $bookId, limit: $limit, after: $after) { nodes { id borrower } ${PAGE_INFO} }
  }`,
  'get /lent/:bookId':
    'query getLent($bookId: ID!) { book(id: $bookId) { id loans(limit: 5) { borrower } } }',
  'post /stock': 'mutation createStock($input: NewBook!) { createBook(input: $input) { id isbn } }',
  'post /books': 'mutation createBook($input: NewBook!) { createBook(input: $input) { id title } }',
  'patch /stock/:bookId': `
  mutation updateStock($bookId: ID!, $input: UpdateBookInput!, $expected: [String!]) {
    updateBook(id: $bookId, input: $input, expected: $expected) { id isbn }
  }`,
  'delete /stock/:bookId': 'mutation deleteStock($bookId: ID!) { deleteBook(id: $bookId) { id } }',
});

type Scopes = readonly string[] | 'all';

/** Serves a library in which something of each kind requires a scope, until the file's tests are over. */
export async function startGuardedLibrary(
  api: Partial<StoreApi<never>> = {},
  environment: NodeJS.ProcessEnv = {},
) {
  const DATABASE_URL = await emptyDatabase();
  const started = await startGateway(
    createGateway({
      ...library,
      access: {
        ...library.access,
        scopes: GUARDED_SCOPES,
        authenticate: (request) => {
          const [, given = ''] =
            /^Bearer ([a-z ]*)$/.exec(request.headers.authorization ?? '') ?? [];
          const scopes = given === 'all' ? given : new Set(given.split(' '));
          return Promise.resolve({ id: 1n, scopes });
        },
      },
      load: () =>
        Promise.resolve({
          schema: guardedSchema,
          rest: { basePath: '/v1', info: { title: 'Guarded', version: '1.0.0' }, routes },
          ...api,
        }),
    }),
    { DATABASE_URL, ...environment },
  );
  keptForFile(started);
  const request = requestOf(started.url, '');
  /** Sends a request with these scopes. The caller's identity does not depend on them. */
  const send = (scopes: Scopes, path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${scopes === 'all' ? scopes : scopes.join(' ')}`);
    return request(path, { ...init, headers });
  };
  const graphql = (scopes: Scopes, query: string, variables?: object): Promise<Answer> =>
    sendTo({ request: (path, init) => send(scopes, path, init) })('POST', '/graphql', {
      query,
      variables,
    });
  return { send, graphql, database: started.database };
}

/** Returns the error for a request or field that lacks these scopes. */
export function scopeError(...scopes: readonly string[]) {
  const names = new Intl.ListFormat('en-GB').format(scopes);
  return {
    message: `This request needs the scope${scopes.length > 1 ? 's' : ''} ${names}`,
    extensions: { code: 'FORBIDDEN', status: 403, scopes },
  };
}
