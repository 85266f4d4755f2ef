import type { DocumentNode, FieldNode, SelectionSetNode } from 'graphql';
import { fragmentsOf, operationsOf } from './definitions.ts';
import { MAXIMUM_COMPARISONS, MAXIMUM_DEPTH } from './limits.ts';
import { merge } from './merged-selections.ts';

/** To compare fields with arguments, or with fields of their own, takes as long as to compare so many without. */
const NESTED = 16;

/**
 * Counts the fields of the same name that graphql-js compares, each with each, to find out whether a document's fields can
 * be merged (https://spec.graphql.org/draft/#sec-Field-Selection-Merging), until that is too much. Fragments don't count:
 * it compares two of them once, and a document has no room for many.
 */
export function comparisonsIn(document: DocumentNode): number {
  const fragments = fragmentsOf(document);
  const unused = new Set(fragments.values());
  const counted = new Set<SelectionSetNode>();
  let comparisons = 0;

  function count(given: readonly SelectionSetNode[], level: number): void {
    if (level > MAXIMUM_DEPTH || comparisons > MAXIMUM_COMPARISONS) {
      return;
    }
    const [only, another] = given;
    if (only !== undefined && another === undefined) {
      // A fragment that is used in several places is compared in itself once.
      if (counted.has(only)) {
        return;
      }
      counted.add(only);
    }
    const { fields, used } = merge(given, fragments);
    used.forEach((fragment) => unused.delete(fragment));
    for (const nodes of fields.values()) {
      comparisons += 1 + comparisonsOf(nodes);
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) {
        count(below, level + 1);
      }
    }
  }

  for (const { selectionSet } of operationsOf(document)) {
    count([selectionSet], 1);
  }
  // Another rule refuses those that nobody uses, but they are compared as well.
  for (const { selectionSet } of unused) {
    count([selectionSet], 1);
  }
  return comparisons;
}

function comparisonsOf(nodes: readonly FieldNode[]): number {
  const leaves = nodes.filter(isPlainLeaf).length;
  return NESTED * pairsOf(nodes.length) - (NESTED - 1) * pairsOf(leaves);
}

function isPlainLeaf({ arguments: given = [], selectionSet }: FieldNode): boolean {
  return given.length === 0 && selectionSet === undefined;
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}
