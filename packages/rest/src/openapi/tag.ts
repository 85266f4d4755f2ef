import { isObjectType } from 'graphql';
import type { JsonObject } from '@store-gateway/ops';
import type { ResourceNames } from '@store-gateway/graphql';
import type { Operation } from '../operation.ts';

/** An operation's type, which determines its tag. */
type TaggedOperation = Pick<Operation, 'type'>;

/** The noun for an operation's resource in sentences. */
export function nounOf(operation: TaggedOperation): string {
  return resourceOf(operation).noun ?? operation.type.name.toLowerCase();
}

/** The name of an operation's tag: the plural noun for its resource. */
export function tagNameOf(operation: TaggedOperation): string {
  const { nouns, plural } = resourceOf(operation);
  return nouns ?? plural;
}

/** The Tag Objects of operations. */
export function tagsOf(operations: readonly TaggedOperation[]): JsonObject[] {
  return Array.from(Map.groupBy(operations, tagNameOf), ([name, [operation]]) => ({
    name,
    description: (operation && resourceOf(operation).about) ?? `The ${name}.`,
  }));
}

function resourceOf({ type }: TaggedOperation): ResourceNames {
  const resource = isObjectType(type) ? type.extensions.resource : undefined;
  return resource ?? { plural: type.name };
}
