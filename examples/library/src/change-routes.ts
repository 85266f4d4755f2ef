import type { Route } from '@gateway/graphql-rest/rest';
import type { Resource } from './resource-routes.ts';

/** The route that changes one of a resource. */
export function change({ name, plural, noun, fields, expected = '[String!]' }: Resource): Route {
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

/** The route that replaces one of a resource as a whole. */
export function replace({ name, plural, noun, fields }: Resource): Route {
  const one = name.toLowerCase();
  return {
    method: 'put',
    path: `/${plural}/:${one}Id`,
    summary: `Replace ${noun}`,
    document: `mutation replace${name}($${one}Id: ID!, $input: Replace${name}Input!, $expected: [String!]) {
      replace${name}(id: $${one}Id, input: $input, expected: $expected) { ${fields} }
    }`,
    status: 200,
  };
}

/** The route that removes one of a resource. */
export function remove({ name, plural, noun, expected = '[String!]' }: Resource): Route {
  const one = name.toLowerCase();
  return {
    method: 'delete',
    path: `/${plural}/:${one}Id`,
    summary: `Remove ${noun}`,
    document: `mutation delete${name}($${one}Id: ID!, $expected: ${expected}) {
      delete${name}(id: $${one}Id, expected: $expected) { id }
    }`,
    status: 204,
  };
}
