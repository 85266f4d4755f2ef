import type { StoreApi } from '@store-gateway/gateway';
import { PAGE_INFO } from '@store-gateway/rest';
import { change, remove } from './change-routes.ts';
import { resource } from './resource-routes.ts';
import { AUTHORS, BOOKS, LOANS } from './resources.ts';

export const rest: StoreApi['rest'] = {
  basePath: '/v1',
  routes: [
    ...resource(AUTHORS),
    change(AUTHORS),
    remove(AUTHORS),
    ...resource(BOOKS),
    change(BOOKS),
    change(BOOKS, 'put'),
    remove(BOOKS),
    ...resource(LOANS),
    {
      method: 'get',
      path: '/books/:bookId/loans',
      summary: 'List the loans of a book',
      document: `query listLoansOfBook($bookId: ID!, $limit: Int, $after: ID) {
        book(id: $bookId) { id }
        loansConnection(bookId: $bookId, limit: $limit, after: $after) { nodes { ${LOANS.fields} } ${PAGE_INFO} }
      }`,
      status: 200,
    },
    remove(LOANS),
    {
      method: 'post',
      path: '/loans/:loanId/return',
      summary: 'Return a book',
      document: `mutation returnLoan($loanId: ID!, $expected: [String!]) {
        returnLoan(id: $loanId, expected: $expected) { ${LOANS.fields} }
      }`,
      status: 200,
    },
  ],
  info: { title: 'Library', version: '1.0.0', description: 'Books, authors and loans.' },
};
