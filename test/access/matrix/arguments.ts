import { onEveryWay, onEveryWayOfGraphQL, type Rule } from './rule.ts';

const FILTERED = { query: '{ books(authorId: 1) { id } }', outcome: '403' } as const;

/** An argument declares a scope: without it, it has to be left out. */
export const ARGUMENT: Rule = {
  name: 'of an argument',
  scope: 'authors',
  graphql: {
    'argument or filter': {
      query: 'query ($author: ID) { booksConnection(authorId: $author) { nodes { id } } }',
      variables: { author: '1' },
      outcome: '403',
    },
    'several aliases': {
      query: '{ a: books { id } b: books(authorId: 1) { id } }',
      outcome: '403',
    },
    ...onEveryWayOfGraphQL(FILTERED),
  },
  rest: {
    'argument or filter': { path: '/v1/stock?authorId=1' },
    ...onEveryWay({ path: '/v1/stock?authorId=1' }),
  },
};

const QUERY = 'mutation ($input: NewBook!) { createBook(input: $input) { id } }';
const input = { title: 'Chamber Music', authorId: '1', published: '1907-05-01' };

/** So does a field of an input. */
export const INPUT: Rule = {
  name: 'of an input field',
  scope: 'publish',
  graphql: {
    'input member': { query: QUERY, variables: { input: { ...input, isbn: 'a' } }, outcome: '403' },
    'replay of what was allowed': {
      query: QUERY,
      variables: { input: { ...input, isbn: 'b' } },
      outcome: '403',
    },
  },
  rest: {
    'input member': {
      path: '/v1/stock',
      method: 'POST',
      body: { ...input, isbn: 'c', authorId: 1 },
    },
    'replay of what was allowed': {
      path: '/v1/stock',
      method: 'POST',
      body: { ...input, isbn: 'd', authorId: 1 },
    },
  },
};

/** And a field of Mutation, beside `write`. */
export const MUTATION: Rule = {
  name: 'of a mutation',
  scope: 'remove',
  graphql: {
    mutation: { query: 'mutation { deleteBook(id: 2) { id } }', outcome: '403' },
    'several aliases': {
      query: 'mutation { a: nothing { __typename } b: deleteBook(id: 3) { id } }',
      outcome: '403',
    },
    'replay of what was allowed': {
      query: 'mutation { deleteBook(id: 4) { id } }',
      outcome: '403',
    },
  },
  rest: {
    mutation: { path: '/v1/stock/5', method: 'DELETE' },
    'replay of what was allowed': { path: '/v1/stock/6', method: 'DELETE' },
  },
};
