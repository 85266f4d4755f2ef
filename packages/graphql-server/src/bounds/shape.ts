import {
  Kind,
  type DirectiveNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { definitionsOf } from './definitions.ts';

/** What an operation's text alone shows, as if all its fragments were written out. */
export interface Shape {
  /** Levels of nested fields. */
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
}

const EMPTY: Shape = { depth: 0, aliases: 0, directives: 0 };

interface Part {
  readonly directives?: readonly DirectiveNode[] | undefined;
  readonly selectionSet?: SelectionSetNode | undefined;
}

/**
 * The shape of each operation of a document, valid or not. A fragment is visited once, however often it is used: a chain of
 * fragments that each use the next one twice stands for an exponential number of fields.
 */
export function shapesOf(document: DocumentNode): [OperationDefinitionNode, Shape][] {
  const { operations, fragments } = definitionsOf(document);
  const known = new Map<string, Shape>();

  function shapeOfFragment(name: string): Shape {
    let shape = known.get(name);
    if (shape === undefined) {
      // A fragment counts as empty within itself: validation rejects it, but this has to come to an end.
      known.set(name, EMPTY);
      shape = shapeOf(fragments.get(name) ?? {});
      known.set(name, shape);
    }
    return shape;
  }

  function shapeOf(...parts: readonly Part[]): Shape {
    const shape = { ...EMPTY };
    const add = ({ directives = [], selectionSet }: Part, level: number): void => {
      shape.depth = Math.max(shape.depth, level);
      shape.directives += directives.length;
      for (const selection of selectionSet?.selections ?? []) {
        const isField = selection.kind === Kind.FIELD;
        add(selection, isField ? level + 1 : level);
        if (isField) {
          shape.aliases += selection.alias === undefined ? 0 : 1;
        } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
          const used = shapeOfFragment(selection.name.value);
          shape.depth = Math.max(shape.depth, level + used.depth);
          shape.aliases += used.aliases;
          shape.directives += used.directives;
        }
      }
    };
    parts.forEach((part) => add(part, 0));
    return shape;
  }

  return operations.map((operation) => [
    operation,
    shapeOf(operation, ...(operation.variableDefinitions ?? [])),
  ]);
}
