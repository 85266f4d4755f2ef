import type { StoreApi } from '../../packages/gateway/src/definition.ts';
import { inject } from 'vitest';
import { createGateway, startGateway } from '@store-gateway/gateway';
import { PAGE_INFO, type Route } from '@store-gateway/rest';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import { onFileFinished } from './clean-up.ts';
import { createDatabase } from './database.ts';
import { requestOf, type Answer } from './gateway.ts';
import { GUARDED_SCOPES, guardedSchema } from './guarded-schema.ts';

/** All that a caller can be given. */
export const ALL_SCOPES: readonly string[] = ['read', 'write', ...Object.keys(GUARDED_SCOPES)];

export function allScopesBut(...lacking: readonly string[]): readonly string[] {
  return ALL_SCOPES.filter((scope) => !lacking.includes(scope));
}

const get = (path: string, document: string): Route => ({
  method: 'get',
  path,
  summary: path,
  document,
  status: 200,
});
const listed = (name: string, fields: string, variables = '', args = '') =>
  `query ${name}($limit: Int, $after: ID${variables}) {
    booksConnection(limit: $limit, after: $after${args}) { nodes { ${fields} } ${PAGE_INFO} }
  }`;

const routes: readonly Route[] = [
  get('/books', listed('listBooks', 'id isbn title')),
  get(
    '/stock',
    listed(
      'listStock',
      'id isbn',
      ', $title: String, $authorId: ID, $sort: [BookOrder!], $titlePrefix: String, $search: String',
      ', title: $title, authorId: $authorId, orderBy: $sort, titlePrefix: $titlePrefix, search: $search',
    ),
  ),
  get('/books/:bookId', 'query getBook($bookId: ID!) { book(id: $bookId) { id isbn title } }'),
  get('/stock/:bookId', 'query getStock($bookId: ID!) { book(id: $bookId) { id isbn } }'),
  get(
    '/loans',
    `query listLoans($limit: Int, $after: ID) {
      loansConnection(limit: $limit, after: $after) { nodes { id borrower } totalCount ${PAGE_INFO} }
    }`,
  ),
  get('/loans/:loanId', 'query getLoan($loanId: ID!) { loan(id: $loanId) { id borrower } }'),
  get(
    '/books/:bookId/loans',
    `query listLoansOfBook($bookId: ID!, $limit: Int, $after: ID) {
      book(id: $bookId) { id }
      loansConnection(bookId: $bookId, limit: $limit, after: $after) { nodes { id borrower } ${PAGE_INFO} }
    }`,
  ),
  get(
    '/lent/:bookId',
    'query getLent($bookId: ID!) { book(id: $bookId) { id loans(limit: 5) { borrower } } }',
  ),
  {
    method: 'post',
    path: '/stock',
    summary: 'Add',
    document: 'mutation createStock($input: NewBook!) { createBook(input: $input) { id isbn } }',
    status: 201,
  },
  {
    method: 'post',
    path: '/books',
    summary: 'Add',
    document: 'mutation createBook($input: NewBook!) { createBook(input: $input) { id title } }',
    status: 201,
  },
  {
    method: 'patch',
    path: '/stock/:bookId',
    summary: 'Change',
    document: `mutation updateStock($bookId: ID!, $input: UpdateBookInput!, $expected: [String!]) {
      updateBook(id: $bookId, input: $input, expected: $expected) { id isbn }
    }`,
    status: 200,
  },
  {
    method: 'delete',
    path: '/stock/:bookId',
    summary: 'Remove',
    document: 'mutation deleteStock($bookId: ID!) { deleteBook(id: $bookId) { id } }',
    status: 204,
  },
];

export interface GuardedLibrary {
  /** Sends a request of a caller with these scopes, who is the same whatever these are. */
  readonly send: (
    scopes: readonly string[] | 'all',
    path: string,
    init?: RequestInit,
  ) => Promise<Answer>;
  readonly graphql: (
    scopes: readonly string[] | 'all',
    query: string,
    variables?: object,
  ) => Promise<Answer>;
  readonly database: Awaited<ReturnType<typeof start>>['database'];
}

function start(api: Partial<StoreApi<never>>, environment: NodeJS.ProcessEnv) {
  return startGateway(
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
    environment,
  );
}

/** Serves a library in which something of each kind needs a scope, until the tests of the file are over. */
export async function startGuardedLibrary(
  api: Partial<StoreApi<never>> = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<GuardedLibrary> {
  const DATABASE_URL = await createDatabase(inject('postgresUrl'));
  const started = await start(api, { DATABASE_URL, ...environment });
  onFileFinished(() => started[Symbol.asyncDispose]());
  const request = requestOf(started.url, '');
  const send: GuardedLibrary['send'] = (scopes, path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${scopes === 'all' ? scopes : scopes.join(' ')}`);
    return request(path, { ...init, headers });
  };
  return {
    send,
    graphql: (scopes, query, variables) =>
      send(scopes, '/graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      }),
    database: started.database,
  };
}
