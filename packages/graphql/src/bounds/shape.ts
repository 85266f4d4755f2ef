import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { definitionsOf } from './definitions.ts';

type Part =
  | OperationDefinitionNode
  | VariableDefinitionNode
  | FragmentDefinitionNode
  | SelectionNode;

/** What an operation's text alone shows, as if all its fragments were written out. */
interface Shape {
  /** Levels of nested fields. */
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
}

const EMPTY: Shape = { depth: 0, aliases: 0, directives: 0 };

/**
 * The shape of each operation of a document, valid or not. A fragment is visited once, however often it is used: a chain of
 * fragments that each use the next one twice stands for an exponential number of fields.
 */
export function shapesOf(document: DocumentNode): [OperationDefinitionNode, Shape][] {
  const { operations, fragments } = definitionsOf(document);
  const known = new Map<string, Shape>();

  function shapeOfFragment(name: string): Shape {
    const fragment = fragments.get(name);
    if (fragment !== undefined && !known.has(name)) {
      // A fragment counts as empty within itself: validation rejects it, but this has to come to an end.
      known.set(name, EMPTY);
      known.set(name, shapeOf(fragment));
    }
    return known.get(name) ?? EMPTY;
  }

  function shapeOf(part: Part): Shape {
    const isField = part.kind === Kind.FIELD;
    const below = [
      ...('variableDefinitions' in part ? (part.variableDefinitions ?? []) : []),
      ...('selectionSet' in part ? (part.selectionSet?.selections ?? []) : []),
    ].map(shapeOf);
    if (part.kind === Kind.FRAGMENT_SPREAD) {
      below.push(shapeOfFragment(part.name.value));
    }
    const sum = (count: (shape: Shape) => number) =>
      below.reduce((total, shape) => total + count(shape), 0);
    return {
      depth: Math.max(0, ...below.map(({ depth }) => depth)) + (isField ? 1 : 0),
      aliases: sum(({ aliases }) => aliases) + (isField && part.alias !== undefined ? 1 : 0),
      directives: sum(({ directives }) => directives) + (part.directives?.length ?? 0),
    };
  }

  return operations.map((operation) => [operation, shapeOf(operation)]);
}
