import { GraphQLError, specifiedRules, type DocumentNode, type GraphQLSchema } from 'graphql';
import { complexityFault } from '../bounds/complexity.ts';
import { operationsOf } from '../bounds/definitions.ts';
import { parseWithinBounds } from '../bounds/parse.ts';
import { validateWithinBounds } from '../bounds/validate.ts';
import { KnownOperationTypesRule } from '../operation-types.ts';

const RULES = [...specifiedRules, KnownOperationTypesRule];

export interface CheckedDocument {
  /** The names of its operations. */
  readonly operations: readonly string[];
  /** Why it can't be executed here, each with its line and column; empty if it can. */
  readonly faults: readonly string[];
}

/** Checks a document by what a request with it would be checked by, with no variables given. */
export function checkDocument(schema: GraphQLSchema, text: string): CheckedDocument {
  let document: DocumentNode;
  try {
    document = parseWithinBounds(text);
  } catch (error) {
    if (error instanceof GraphQLError) {
      return { operations: [], faults: [told(error)] };
    }
    throw error;
  }
  const operations = operationsOf(document).map(({ name }) => name?.value ?? '');
  const errors = validateWithinBounds(schema, document, RULES);
  if (errors.length > 0) {
    return { operations, faults: errors.map(told) };
  }
  const faults = operations
    .map((operationName) => complexityFault({ schema, document, operationName }))
    .filter((fault) => fault !== undefined)
    .map(told);
  return { operations, faults };
}

function told({ message, locations }: GraphQLError): string {
  const [place] = locations ?? [];
  return place === undefined ? message : `${place.line}:${place.column}: ${message}`;
}
