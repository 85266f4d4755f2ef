import { GraphQLError, parse, type DocumentNode, type ParseOptions, type Source } from 'graphql';
import { placedAt } from '@store-gateway/ops/errors';
import { MAX_LOCATED_LINES, MAX_TOKENS } from './limits.ts';

/**
 * Parses a document within its bound of tokens: graphql-js parses by recursion, so one of nothing but opening brackets would
 * exhaust the stack. The nodes of a very long one have no locations, since graphql-js counts the lines before each error.
 *
 * @throws GraphQLError
 */
export function parseWithinBounds(source: string | Source, options?: ParseOptions): DocumentNode {
  const text = typeof source === 'string' ? source : source.body;
  const noLocation =
    text.length > MAX_LOCATED_LINES && (text.match(/[\n\r]/g) ?? []).length > MAX_LOCATED_LINES;
  try {
    return parse(source, { ...options, maxTokens: MAX_TOKENS, noLocation });
  } catch (error) {
    // graphql-js marks this error by its text alone, and stops there: the number of tokens isn't known.
    if (error instanceof GraphQLError && error.message.includes('tokens. Parsing aborted')) {
      throw placedAt(
        error,
        new GraphQLError(`The document has too many tokens; at most ${MAX_TOKENS} are allowed`),
      );
    }
    throw error;
  }
}
