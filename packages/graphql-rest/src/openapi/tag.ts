import { isObjectType } from 'graphql';
import type { JsonObject } from '@store-gateway/exact-json/json';
import type { Operation } from '../operation.ts';

/** The noun for an operation's resource in sentences. */
export function nounOf(operation: Operation): string {
  return resourceOf(operation).noun ?? operation.type.name.toLowerCase();
}

/** The name of an operation's tag: the plural noun for its resource. */
export function tagNameOf(operation: Operation): string {
  const { nouns, plural } = resourceOf(operation);
  return nouns ?? plural;
}

/** The Tag Objects of operations. */
export function tagsOf(operations: readonly Operation[]): JsonObject[] {
  return Array.from(Map.groupBy(operations, tagNameOf), ([name, [operation]]) => ({
    name,
    description: (operation && resourceOf(operation).about) ?? `The ${name}.`,
  }));
}

function resourceOf({ type, name }: Operation) {
  const resource = isObjectType(type) ? type.extensions.resource : undefined;
  if (resource === undefined) {
    throw new Error(`${name} returns ${type.name}, which needs the option resource`);
  }
  return resource;
}
