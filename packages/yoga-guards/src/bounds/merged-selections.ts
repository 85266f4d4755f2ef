import { Kind, type FieldNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';
import type { Fragments } from './definitions.ts';

/** What is asked of one object. */
export interface Merged {
  /** By the names that they answer under. */
  readonly fields: ReadonlyMap<string, readonly FieldNode[]>;
  /** The fragments that are used. */
  readonly used: ReadonlySet<FragmentDefinitionNode>;
}

/** Puts together what several selection sets ask of the same object, with the fragments that they use. */
export function merge(given: readonly SelectionSetNode[], fragments: Fragments): Merged {
  const selectionSets = [...given];
  const used = new Set<FragmentDefinitionNode>();
  const fields = new Map<string, FieldNode[]>();
  // It grows as fragments are met.
  for (const { selections } of selectionSets) {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name) ?? [];
        nodes.push(selection);
        fields.set(name, nodes);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        selectionSets.push(selection.selectionSet);
      } else {
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined && !used.has(fragment)) {
          used.add(fragment);
          selectionSets.push(fragment.selectionSet);
        }
      }
    }
  }
  return { fields, used };
}
