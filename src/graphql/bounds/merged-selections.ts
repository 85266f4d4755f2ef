import { Kind, type FieldNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';
import type { Fragments } from './definitions.ts';

/** What is asked of one object. */
export interface Merged {
  /** By the names that they answer under. */
  readonly fields: ReadonlyMap<string, readonly FieldNode[]>;
  /** Selection sets that have any. */
  readonly withFields: number;
  /** Uses of fragments. */
  readonly spreads: number;
  /** Each of them once. */
  readonly used: ReadonlySet<FragmentDefinitionNode>;
}

/** Puts together what several selection sets ask of the same object, with the fragments that they use. */
export function merge(given: readonly SelectionSetNode[], fragments: Fragments): Merged {
  const selectionSets = [...given];
  const used = new Set<FragmentDefinitionNode>();
  const fields = new Map<string, FieldNode[]>();
  let withFields = 0;
  let spreads = 0;
  // It grows as fragments are met.
  for (const { selections } of selectionSets) {
    const names = new Set<string>();
    let hasFields = false;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        hasFields = true;
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name) ?? [];
        nodes.push(selection);
        fields.set(name, nodes);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        selectionSets.push(selection.selectionSet);
      } else {
        names.add(selection.name.value);
      }
    }
    withFields += hasFields ? 1 : 0;
    spreads += names.size;
    for (const name of names) {
      const fragment = fragments.get(name);
      if (fragment !== undefined && !used.has(fragment)) {
        used.add(fragment);
        selectionSets.push(fragment.selectionSet);
      }
    }
  }
  return { fields, withFields, spreads, used };
}
