import { GraphQLError, specifiedRules, type DocumentNode, type GraphQLSchema } from 'graphql';
import { complexityFault } from '../bounds/complexity.ts';
import { definitionsOf, parseWithinBounds, validateWithinBounds } from '../bounds/document.ts';

/** What a check has found in a document. */
interface CheckedDocument {
  /** The names of its operations. */
  readonly operations: readonly string[];
  /** Why it can't be executed, each with its line and column; empty if it can. */
  readonly faults: readonly string[];
}

/** Checks a document as a request with it would be checked, without variables. */
export function checkDocument(schema: GraphQLSchema, text: string): CheckedDocument {
  let document: DocumentNode;
  try {
    document = parseWithinBounds(text);
  } catch (error) {
    if (error instanceof GraphQLError) {
      return { operations: [], faults: [faultText(error)] };
    }
    throw error;
  }
  const operations = definitionsOf(document).operations.map(({ name }) => name?.value ?? '');
  const errors = validateWithinBounds(schema, document, specifiedRules);
  const faults =
    errors.length > 0
      ? errors
      : operations.flatMap(
          (name) => complexityFault({ schema, document, operationName: name || null }) ?? [],
        );
  return { operations, faults: faults.map(faultText) };
}

function faultText({ message, locations }: GraphQLError): string {
  const [place] = locations ?? [];
  return place === undefined ? message : `${place.line}:${place.column}: ${message}`;
}
