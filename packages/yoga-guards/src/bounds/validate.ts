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
  return comparisonsIn(document) > MAXIMUM_COMPARISONS
    ? [new GraphQLError('The document has too many fields of the same name to be validated')]
    : [];
}
