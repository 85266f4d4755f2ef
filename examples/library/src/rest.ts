import type { StoreApi } from '@gateway/gateway/store';
import { PAGE_INFO, type Route } from '@gateway/graphql-rest/rest';

/** The routes of a resource: its list, adding one, and getting one. */
function resource(name: string, plural: string, noun: string, fields: string): Route[] {
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
  ];
}

export const rest: StoreApi['rest'] = {
  basePath: '/v1',
  routes: [
    ...resource('Author', 'authors', 'an author', 'id name'),
    ...resource('Book', 'books', 'a book', 'id title isbn published author { id name }'),
    ...resource('Loan', 'loans', 'a loan', 'id borrower due book { id title }'),
  ],
  info: { title: 'Library', version: '1.0.0', description: 'Books, authors and loans.' },
};
