import type { StoreApi } from '@store-gateway/gateway';
import { PAGE_INFO } from '@store-gateway/rest';

/** The members of a book in responses. */
const BOOK = 'fragment Book on Book { id name }';

/** The REST API. A route has a method, a path, a GraphQL document and a status. */
export const rest: StoreApi['rest'] = {
  basePath: '/v1',
  info: { title: 'Animal Store', version: '1.0.0', description: 'The books of Animal Store.' },
  routes: [
    {
      method: 'get',
      path: '/books',
      summary: 'List all books',
      document: `query listBooks($limit: Int, $after: ID) {
        booksConnection(limit: $limit, after: $after) { nodes { ...Book } ${PAGE_INFO} }
      } ${BOOK}`,
      status: 200,
    },
    {
      method: 'post',
      path: '/books',
      summary: 'Add a book',
      document: `mutation createBook($input: NewBook!) {
        createBook(input: $input) { ...Book }
      } ${BOOK}`,
      status: 201,
    },
    {
      method: 'get',
      path: '/books/:bookId',
      summary: 'Get a book',
      document: `query getBook($bookId: ID!) {
        book(id: $bookId) { ...Book }
      } ${BOOK}`,
      status: 200,
    },
    {
      method: 'patch',
      path: '/books/:bookId',
      summary: 'Change a book',
      document: `mutation updateBook($bookId: ID!, $input: UpdateBookInput!, $expected: [String!]) {
        updateBook(id: $bookId, input: $input, expected: $expected) { ...Book }
      } ${BOOK}`,
      status: 200,
    },
    {
      method: 'delete',
      path: '/books/:bookId',
      summary: 'Remove a book',
      document: `mutation deleteBook($bookId: ID!, $expected: [String!]) {
        deleteBook(id: $bookId, expected: $expected) { id }
      }`,
      status: 204,
    },
  ],
};
