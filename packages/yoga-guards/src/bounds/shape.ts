import {
  Kind,
  type DirectiveNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Fragments } from './definitions.ts';

/** What can be told of an operation by its text alone, as if all its fragments were written out. */
export interface Shape {
  /** Levels of fields in fields. */
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
}

const EMPTY: Shape = { depth: 0, aliases: 0, directives: 0 };

/**
 * Measures operations of a document, valid or not. A fragment is read once, however often it is used: a chain of
 * fragments that each use the next one twice is as long as an exponential number of fields.
 */
export function createShapeOf(fragments: Fragments): (operation: OperationDefinitionNode) => Shape {
  const known = new Map<string, Shape>();

  function ofFragment(name: string): Shape {
    const shape = known.get(name);
    if (shape !== undefined) {
      return shape;
    }
    // Another rule refuses a fragment that uses itself; here it only has to come to an end.
    known.set(name, EMPTY);
    const fragment = fragments.get(name);
    const measured =
      fragment === undefined ? EMPTY : ofParts(fragment.selectionSet, fragment.directives);
    known.set(name, measured);
    return measured;
  }

  function ofParts(
    selectionSet: SelectionSetNode | undefined,
    directives: readonly DirectiveNode[] = [],
  ): Shape {
    return sum([
      { ...EMPTY, directives: directives.length },
      ...(selectionSet?.selections ?? []).map(ofSelection),
    ]);
  }

  function ofSelection(node: SelectionNode): Shape {
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      return sum([ofParts(undefined, node.directives), ofFragment(node.name.value)]);
    }
    const inside = ofParts(node.selectionSet, node.directives);
    return node.kind === Kind.INLINE_FRAGMENT
      ? inside
      : {
          ...inside,
          depth: inside.depth + 1,
          aliases: inside.aliases + (node.alias === undefined ? 0 : 1),
        };
  }

  return ({ selectionSet, directives, variableDefinitions = [] }) =>
    sum([
      ofParts(selectionSet, directives),
      ...variableDefinitions.map((variable) => ofParts(undefined, variable.directives)),
    ]);
}

function sum(shapes: readonly Shape[]): Shape {
  let { depth, aliases, directives } = EMPTY;
  for (const shape of shapes) {
    depth = Math.max(depth, shape.depth);
    aliases += shape.aliases;
    directives += shape.directives;
  }
  return { depth, aliases, directives };
}
