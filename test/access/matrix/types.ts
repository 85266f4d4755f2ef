import { onEveryWay, onEveryWayOfGraphQL, type Rule } from './rule.ts';

const LIST = { query: '{ loans { id borrower } }', outcome: '403' } as const;

/** A type declares a scope: every field that returns it, or a page of it, needs it. */
export const TYPE: Rule = {
  name: 'of a type',
  scope: 'people',
  graphql: {
    list: LIST,
    get: { query: '{ loan(id: 1) { id } }', outcome: '403' },
    connection: { query: '{ loansConnection { totalCount } }', outcome: '403' },
    'nested relation': { query: '{ book(id: 1) { id loans { borrower } } }', outcome: 'null' },
    'argument or filter': {
      query: '{ book(id: 1) { loans(dueFrom: "2026-01-01T00:00:00Z") { id } } }',
      outcome: '403',
    },
    order: { query: '{ book(id: 1) { loans(orderBy: [DUE_ASC]) { id } } }', outcome: '403' },
    'several aliases': { query: '{ a: books { id } b: loans { id } }', outcome: '403' },
    ...onEveryWayOfGraphQL(LIST),
  },
  rest: {
    list: { path: '/v1/loans' },
    get: { path: '/v1/loans/1' },
    connection: { path: '/v1/books/1/loans' },
    'nested relation': { path: '/v1/lent/1' },
    ...onEveryWay({ path: '/v1/loans' }),
  },
};
