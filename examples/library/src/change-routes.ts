import type { Route } from '@store-gateway/rest';
import type { Resource } from './resource-routes.ts';

const VERBS = { patch: ['Change', 'update', 'Update'], put: ['Replace', 'replace', 'Replace'] };

/** The route that changes one item of a resource, or replaces it as a whole. */
export function change(
  { name, plural, noun, fields, expected = '[String!]' }: Resource,
  method: 'patch' | 'put' = 'patch',
): Route {
  const one = name.toLowerCase();
  const [summary, verb, input] = VERBS[method];
  return {
    method,
    path: `/${plural}/:${one}Id`,
    summary: `${summary} ${noun}`,
    document: `mutation ${verb}${name}($${one}Id: ID!, $input: ${input}${name}Input!, $expected: ${expected}) {
      ${verb}${name}(id: $${one}Id, input: $input, expected: $expected) { ${fields} }
    }`,
    status: 200,
  };
}

/** The route that removes one item of a resource. */
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
