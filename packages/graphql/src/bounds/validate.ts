import {
  GraphQLError,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { KnownOperationTypesRule } from '../validation-rules.ts';
import { countComparisons } from './comparisons.ts';
import { MAX_ALIASES, MAX_COMPARISONS, MAX_DEPTH, MAX_DIRECTIVES, MAX_ERRORS } from './limits.ts';
import { shapesOf } from './shape.ts';

/** The faults of a document by `KnownOperationTypesRule` and these rules. One that is beyond a bound isn't validated any further. */
export function validateWithinBounds(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): readonly GraphQLError[] {
  const faults = shapeFaults(document);
  if (faults.length > 0) {
    return faults;
  }
  return countComparisons(document) > MAX_COMPARISONS
    ? [new GraphQLError('The document has too many fields of the same name to be validated')]
    : validate(schema, document, [...rules, KnownOperationTypesRule], { maxErrors: MAX_ERRORS });
}

function shapeFaults(document: DocumentNode): GraphQLError[] {
  return shapesOf(document).flatMap(([operation, { depth, aliases, directives }]) => {
    const figures = [
      [depth, MAX_DEPTH, `is nested ${depth} levels deep`],
      [aliases, MAX_ALIASES, `has ${aliases} aliases`],
      [directives, MAX_DIRECTIVES, `has ${directives} directives`],
    ] as const;
    return figures
      .filter(([figure, maximum]) => figure > maximum)
      .map(([, maximum, fault]) => {
        const message = `The document ${fault}; at most ${maximum} are allowed`;
        return new GraphQLError(message, { nodes: operation });
      });
  });
}
