import type { StoreApi } from '@gateway/gateway/store';
import { PAGE_INFO, type Route } from '@gateway/graphql-rest/rest';

/** The routes of a resource: its list, adding one, getting, and removing one. */
function resource({ name, plural, noun, fields, expected = '[String!]' }: Resource): Route[] {
  const all = `fragment All on ${name} { ${fields} }`;
  const one = name.toLowerCase();
  return [
    {
      method: 'get',
      path: `/${plural}`,
      summary: `List all ${plural}`,
      description: `Returns a paginated list of ${plural}, in the order of their ids.`,
      document: `query list${name}s($limit: Int, $after: ID) {
        ${plural}Connection(limit: $limit, after: $after) { nodes { ...All } ${PAGE_INFO} }
      } ${all}`,
      status: 200,
    },
    {
      method: 'post',
      path: `/${plural}`,
      summary: `Add ${noun}`,
      document: `mutation create${name}($input: New${name}!) {
        create${name}(input: $input) { ...All }
      } ${all}`,
      status: 201,
    },
    {
      method: 'get',
      path: `/${plural}/:${one}Id`,
      summary: `Get ${noun}`,
      document: `query get${name}($${one}Id: ID!) { ${one}(id: $${one}Id) { ...All } } ${all}`,
      status: 200,
    },
    {
      method: 'delete',
      path: `/${plural}/:${one}Id`,
      summary: `Remove ${noun}`,
      document: `mutation delete${name}($${one}Id: ID!, $expected: ${expected}) {
        delete${name}(id: $${one}Id, expected: $expected) { id }
      }`,
      status: 204,
    },
  ];
}

/** The route that changes one of a resource. */
function change({ name, plural, noun, fields, expected = '[String!]' }: Resource): Route {
  const one = name.toLowerCase();
  return {
    method: 'patch',
    path: `/${plural}/:${one}Id`,
    summary: `Change ${noun}`,
    document: `mutation update${name}($${one}Id: ID!, $input: Update${name}Input!, $expected: ${expected}) {
      update${name}(id: $${one}Id, input: $input, expected: $expected) { ${fields} }
    }`,
    status: 200,
  };
}

interface Resource {
  readonly name: string;
  readonly plural: string;
  readonly noun: string;
  /** What its representation has. */
  readonly fields: string;
  /** The type of `expected` in changes: that of authors has to be given. */
  readonly expected?: string;
}

const AUTHORS: Resource = {
  name: 'Author',
  plural: 'authors',
  noun: 'an author',
  fields: 'id name',
  expected: '[String!]!',
};
const BOOKS: Resource = {
  name: 'Book',
  plural: 'books',
  noun: 'a book',
  fields: 'id title isbn published author { id name }',
};
const LOANS: Resource = {
  name: 'Loan',
  plural: 'loans',
  noun: 'a loan',
  fields: 'id borrower due returned book { id title }',
};

export const rest: StoreApi['rest'] = {
  basePath: '/v1',
  routes: [
    ...resource(AUTHORS),
    change(AUTHORS),
    ...resource(BOOKS),
    change(BOOKS),
    ...resource(LOANS),
    {
      method: 'post',
      path: '/loans/:loanId/return',
      summary: 'Return a book',
      document: `mutation returnLoan($loanId: ID!) { returnLoan(id: $loanId) { ${LOANS.fields} } }`,
      status: 200,
    },
  ],
  info: { title: 'Library', version: '1.0.0', description: 'Books, authors and loans.' },
};
