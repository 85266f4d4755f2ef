import type { Resource } from './resource-routes.ts';

export const AUTHORS: Resource = {
  name: 'Author',
  plural: 'authors',
  noun: 'an author',
  fields: 'id name',
  expected: '[String!]!',
};
export const BOOKS: Resource = {
  name: 'Book',
  plural: 'books',
  noun: 'a book',
  fields: 'id title isbn published author { id name }',
  list: {
    authorId: 'authorId: [ID!]',
    orderBy: 'sort: [BookOrder!]',
    titlePrefix: 'titlePrefix: String',
    search: 'search: String',
  },
  count: 'totalCount',
};
export const LOANS: Resource = {
  name: 'Loan',
  plural: 'loans',
  noun: 'a loan',
  fields: 'id borrower due returned book { id title }',
  list: {
    orderBy: 'sort: [LoanOrder!]',
    dueFrom: 'dueFrom: DateTime',
    dueBefore: 'dueBefore: DateTime',
  },
};
