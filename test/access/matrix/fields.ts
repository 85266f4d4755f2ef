import { onEveryWay, onEveryWayOfGraphQL, type Rule } from './rule.ts';

const LIST = { query: '{ books { id title } }', outcome: 'null' } as const;
const ORDERED = '{ books(orderBy: [TITLE_DESC]) { id } }';
const input = { title: 'Exiles', isbn: 'titled', authorId: '1' };

/** A field declares a scope: it can't be read, and nothing tells of it otherwise. */
export const FIELD: Rule = {
  name: 'of a field',
  scope: 'titles',
  graphql: {
    list: LIST,
    get: { query: '{ book(id: 1) { id title } }', outcome: 'null' },
    connection: { query: '{ booksConnection { edges { node { title } } } }', outcome: 'null' },
    'nested relation': { query: '{ author(id: 1) { books { title } } }', outcome: 'null' },
    'argument or filter': {
      query: 'query ($by: String) { author(id: 1) { books(title: $by) { id } } }',
      variables: { by: 'Ulysses' },
      outcome: '403',
    },
    order: { query: ORDERED, outcome: '403' },
    mutation: {
      query: 'mutation { updateBook(id: 1, input: {}) { title } }',
      outcome: 'null',
    },
    'several aliases': { query: '{ books { id a: title b: version } }', outcome: 'null' },
    'replay of what was allowed': {
      query: 'mutation ($input: NewBook!) { createBook(input: $input) { title } }',
      variables: { input },
      outcome: 'null',
    },
    ...onEveryWayOfGraphQL(LIST),
  },
  rest: {
    list: { path: '/v1/books' },
    get: { path: '/v1/books/1' },
    'argument or filter': { path: '/v1/stock?titlePrefix=Ulys' },
    order: { path: '/v1/stock?sort=-title' },
    mutation: { path: '/v1/books', method: 'POST', body: { ...input, isbn: 'new', authorId: 1 } },
    'replay of what was allowed': {
      path: '/v1/books',
      method: 'POST',
      body: { ...input, isbn: 'kept', authorId: 1 },
    },
    ...onEveryWay({ path: '/v1/books' }),
  },
};
