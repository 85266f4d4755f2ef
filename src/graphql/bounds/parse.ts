import { GraphQLError, parse, type DocumentNode, type ParseOptions, type Source } from 'graphql';
import { MAXIMUM_TOKENS } from './limits.ts';

/**
 * Parses a document, but not one of more tokens than are allowed: documents are read by recursion, and
 * one that is all opening brackets would exhaust the stack.
 *
 * @throws GraphQLError
 */
export function parseWithinBounds(
  source: string | Source,
  options: ParseOptions = {},
): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: MAXIMUM_TOKENS });
  } catch (error) {
    // graphql-js tells it by its text alone. The rest of the document is unread: how many there are in
    // all is not known.
    if (error instanceof GraphQLError && error.message.includes('tokens. Parsing aborted')) {
      throw new GraphQLError(
        `The document has too many tokens; at most ${MAXIMUM_TOKENS} are allowed`,
        {
          source: error.source ?? null,
          positions: error.positions ?? null,
        },
      );
    }
    throw error;
  }
}
