import { GraphQLError, parse, type DocumentNode, type ParseOptions, type Source } from 'graphql';
import { placedAt } from '@gateway/errors/coded-error';
import { MAXIMUM_PLACED_LINES, MAXIMUM_TOKENS } from './limits.ts';

/**
 * Parses a document, but not one of more tokens than are allowed: documents are read by recursion, and
 * one that is all opening brackets would exhaust the stack. If it is very long, its nodes don't know
 * where they are: graphql-js counts the lines before each error, which takes milliseconds then.
 *
 * @throws GraphQLError
 */
export function parseWithinBounds(
  source: string | Source,
  options: ParseOptions = {},
): DocumentNode {
  try {
    return parse(source, {
      ...options,
      maxTokens: MAXIMUM_TOKENS,
      noLocation: hasManyLines(typeof source === 'string' ? source : source.body),
    });
  } catch (error) {
    // graphql-js tells it by its text alone. The rest of the document is unread: how many there are in
    // all is not known.
    if (error instanceof GraphQLError && error.message.includes('tokens. Parsing aborted')) {
      throw placedAt(
        error,
        new GraphQLError(`The document has too many tokens; at most ${MAXIMUM_TOKENS} are allowed`),
      );
    }
    throw error;
  }
}

function hasManyLines(text: string): boolean {
  return (
    text.length > MAXIMUM_PLACED_LINES &&
    (text.match(/[\n\r]/g) ?? []).length > MAXIMUM_PLACED_LINES
  );
}
