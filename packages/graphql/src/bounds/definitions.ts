import { Kind, type DocumentNode } from 'graphql';

/** The operations of a document, and its fragments by name. */
export function definitionsOf({ definitions }: DocumentNode) {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return {
    operations: definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION),
    fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
  };
}
