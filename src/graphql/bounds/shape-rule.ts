import { GraphQLError, type ASTVisitor, type ValidationContext } from 'graphql';
import { MAXIMUM_ALIASES, MAXIMUM_DEPTH, MAXIMUM_DIRECTIVES } from './limits.ts';
import { shapeOf } from './shape.ts';

/** Refuses operations that are nested too deep, or have too many aliases or directives. */
export function ShapeWithinBoundsRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(node) {
      const { depth, aliases, directives } = shapeOf(node, (name) => context.getFragment(name));
      const told = [
        [depth, MAXIMUM_DEPTH, `The document is nested ${depth} levels deep`],
        [aliases, MAXIMUM_ALIASES, `The document has ${aliases} aliases`],
        [directives, MAXIMUM_DIRECTIVES, `The document has ${directives} directives`],
      ] as const;
      for (const [figure, maximum, fault] of told) {
        if (figure > maximum) {
          const message = `${fault}; at most ${maximum} are allowed`;
          context.reportError(new GraphQLError(message, { nodes: node }));
        }
      }
    },
  };
}
