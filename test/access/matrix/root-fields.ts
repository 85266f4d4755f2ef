import { onEveryWay, onEveryWayOfGraphQL, type Rule } from './rule.ts';

const LIST = { query: '{ books { id isbn } }', outcome: '403' } as const;

/** Each field of Query needs `read`, without a line. */
export const READ: Rule = {
  name: 'read',
  scope: 'read',
  graphql: {
    list: LIST,
    get: { query: '{ book(id: 1) { id } }', outcome: '403' },
    connection: { query: '{ booksConnection { nodes { id } } }', outcome: '403' },
    'nested relation': { query: 'mutation { nothing { query { books { id } } } }', outcome: '403' },
    'several aliases': { query: '{ a: __typename b: books { id } }', outcome: '403' },
    ...onEveryWayOfGraphQL(LIST),
  },
  rest: {
    list: { path: '/v1/stock' },
    get: { path: '/v1/stock/1' },
    ...onEveryWay({ path: '/v1/stock' }),
  },
};

const CREATE = `mutation ($input: NewBook!) { createBook(input: $input) { id isbn } }`;
const input = { title: 'Dubliners', isbn: 'of GraphQL', authorId: '1' };
const WRITE_PROBE = { query: CREATE, variables: { input }, outcome: '403' } as const;
const POST = {
  path: '/v1/stock',
  method: 'POST',
  body: { title: 'Dubliners', isbn: 'of REST', authorId: 1 },
} as const;

/** Each field of Mutation needs `write`. */
export const WRITE: Rule = {
  name: 'write',
  scope: 'write',
  graphql: {
    mutation: { query: 'mutation { updateBook(id: 1, input: {}) { id } }', outcome: '403' },
    'several aliases': {
      query: 'mutation { a: nothing { __typename } b: nothing { __typename } }',
      outcome: '403',
    },
    'replay of what was allowed': WRITE_PROBE,
  },
  rest: {
    mutation: { path: '/v1/stock/1', method: 'PATCH', body: {} },
    'replay of what was allowed': POST,
  },
};
