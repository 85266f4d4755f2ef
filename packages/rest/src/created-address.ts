import { getNullableType, isListType } from 'graphql';
import type { Operation } from './operation.ts';
import type { Variables } from './variables.ts';

/** The path of what a request to a path has created, by its id. */
export type AddressOf = (path: string, id: string) => string;

interface AddressedRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly variables: Variables;
}

/**
 * What is created below its parent has the address of the route that gets one of its type by id; if there is none, it has one
 * below the path.
 */
export function addressesOf(
  { path: from, operation }: AddressedRoute,
  routes: readonly AddressedRoute[],
  basePath: string,
): AddressOf {
  const gets = routes.filter(
    (route) => route.operation.type === operation.type && isGetById(route),
  );
  const get = gets.find(({ path }) => path.startsWith(`${from}/`)) ?? gets[0];
  const folder = get?.path.slice(0, get.path.lastIndexOf('/'));
  return (path, id) =>
    `${folder === undefined || folder === from ? path : basePath + folder}/${encodeURIComponent(id)}`;
}

/** Whether its path ends with the id of what it gets, its only parameter. */
function isGetById({ method, path, operation: { resource }, variables }: AddressedRoute): boolean {
  const [[name, { name: input }] = ['', { name: '' }], ...others] = variables.path;
  return (
    method === 'get' &&
    !isListType(getNullableType(resource.field.type)) &&
    others.length === 0 &&
    input === 'id' &&
    path.endsWith(`/:${name}`)
  );
}
