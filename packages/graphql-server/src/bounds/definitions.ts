import { Kind, type DocumentNode, type FragmentDefinitionNode } from 'graphql';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The operations of a document, and its fragments by name. */
export function definitionsOf({ definitions }: DocumentNode) {
  const operations = definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const fragments: Fragments = new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  return { operations, fragments };
}
