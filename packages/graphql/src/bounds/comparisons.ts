import { Kind, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';
import { definitionsOf } from './definitions.ts';
import { MAX_COMPARISONS, MAX_DEPTH } from './limits.ts';

/** How many comparisons of plain leaves take as long as one of fields with arguments, or with fields of their own. */
const NESTED = 16;

/**
 * Counts, until there are too many, the fields of the same name that graphql-js compares pairwise to find out whether they
 * can be merged (https://spec.graphql.org/draft/#sec-Field-Selection-Merging). Pairs of fragments don't count: each is
 * compared once, and a document has no room for many.
 */
export function countComparisons(document: DocumentNode): number {
  const { operations, fragments } = definitionsOf(document);
  const unused = new Set(fragments.values());
  const counted = new Set<SelectionSetNode>();
  let comparisons = 0;

  /** Counts what several selection sets select of the same object. */
  function count(selectionSets: readonly SelectionSetNode[], level: number): void {
    const [only, another] = selectionSets;
    // A fragment that is used in several places is compared in itself once.
    const isCounted = only !== undefined && another === undefined && counted.has(only);
    if (isCounted || level > MAX_DEPTH || comparisons > MAX_COMPARISONS) {
      return;
    }
    if (only !== undefined && another === undefined) {
      counted.add(only);
    }
    for (const fields of fieldsByName(selectionSets)) {
      comparisons += 1 + pairwiseComparisons(fields);
      const below = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) {
        count(below, level + 1);
      }
    }
  }

  function fieldsByName(given: readonly SelectionSetNode[]): Iterable<FieldNode[]> {
    const fields: FieldNode[] = [];
    // The set grows by the fragments that are met.
    const selectionSets = new Set(given);
    for (const { selections } of selectionSets) {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          fields.push(selection);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          selectionSets.add(selection.selectionSet);
        } else {
          const fragment = fragments.get(selection.name.value);
          if (fragment !== undefined) {
            unused.delete(fragment);
            selectionSets.add(fragment.selectionSet);
          }
        }
      }
    }
    return Map.groupBy(fields, ({ alias, name }) => (alias ?? name).value).values();
  }

  operations.forEach(({ selectionSet }) => count([selectionSet], 1));
  // Fragments that nothing uses are an error of another rule, but they are compared as well.
  unused.forEach(({ selectionSet }) => count([selectionSet], 1));
  return comparisons;
}

function pairwiseComparisons(fields: readonly FieldNode[]): number {
  const leaves = fields.filter(
    ({ arguments: given = [], selectionSet }) => given.length === 0 && selectionSet === undefined,
  );
  return NESTED * pairsOf(fields.length) - (NESTED - 1) * pairsOf(leaves.length);
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}
