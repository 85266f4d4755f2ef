import {
  GraphQLError,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { comparisonsIn } from './comparisons.ts';
import { MAXIMUM_COMPARISONS, MAXIMUM_ERRORS } from './limits.ts';
import { shapeFaults } from './shape-faults.ts';

/** What is wrong with a document. One that is beyond a bound is not looked at any further. */
export function validateWithinBounds(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): readonly GraphQLError[] {
  const faults = boundFaults(document);
  return faults.length > 0
    ? faults
    : validate(schema, document, rules, { maxErrors: MAXIMUM_ERRORS });
}

function boundFaults(document: DocumentNode): GraphQLError[] {
  const faults = shapeFaults(document);
  return faults.length > 0 ? faults : comparisonFaults(document);
}

function comparisonFaults(document: DocumentNode): GraphQLError[] {
  const { fields, fragments } = comparisonsIn(document);
  const told = [
    [fields, 'The document has too many fields of the same name to be validated'],
    [fragments, 'The document uses fragments too often to be validated'],
  ] as const;
  return told
    .filter(([comparisons]) => comparisons > MAXIMUM_COMPARISONS)
    .map(([, message]) => new GraphQLError(message));
}
