import { isObjectType, type GraphQLNamedType } from 'graphql';
import type { JsonObject } from '@store-gateway/ops';
import type { References } from '@store-gateway/graphql';
import { inputMembers } from '../members.ts';
import type { PreparedRoute, Rest } from '../rest.ts';

/** The foreign keys of a resource. */
export function referencesOf(resource: GraphQLNamedType): References {
  return (isObjectType(resource) && resource.extensions.references) || {};
}

/** The Link Objects of what a route adds: to the requests that take its id in their bodies. */
export function linksOf(rest: Rest, { status, operation: { type } }: PreparedRoute): JsonObject {
  const model = isObjectType(type) ? type.extensions.pothosPrismaModel : undefined;
  if (status !== 201 || model === undefined) {
    return {};
  }
  const links = rest.routes.flatMap(({ operation, variables }) => {
    const references = referencesOf(operation.type);
    const members = inputMembers(variables.body?.[1].type)
      .map(({ key }) => key)
      .filter((key) => references[key] === model);
    const requestBody = Object.fromEntries(members.map((key) => [key, '$response.body#/id']));
    const link = { operationId: operation.name, requestBody };
    return members.length === 0 ? [] : [[operation.name, link] as const];
  });
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}
