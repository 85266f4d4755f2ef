import { GraphQLError, type DocumentNode } from 'graphql';
import { fragmentsOf, operationsOf } from './definitions.ts';
import { MAXIMUM_ALIASES, MAXIMUM_DEPTH, MAXIMUM_DIRECTIVES } from './limits.ts';
import { createShapeOf } from './shape.ts';

/** Which operations are nested too deep, or have too many aliases or directives. */
export function shapeFaults(document: DocumentNode): GraphQLError[] {
  const shapeOf = createShapeOf(fragmentsOf(document));
  return operationsOf(document).flatMap((operation) => {
    const { depth, aliases, directives } = shapeOf(operation);
    const told = [
      [depth, MAXIMUM_DEPTH, `The document is nested ${depth} levels deep`],
      [aliases, MAXIMUM_ALIASES, `The document has ${aliases} aliases`],
      [directives, MAXIMUM_DIRECTIVES, `The document has ${directives} directives`],
    ] as const;
    return told
      .filter(([figure, maximum]) => figure > maximum)
      .map(
        ([, maximum, fault]) =>
          new GraphQLError(`${fault}; at most ${maximum} are allowed`, { nodes: operation }),
      );
  });
}
