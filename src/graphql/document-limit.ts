import { parse, type ParseOptions, type Source } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/**
 * Lexical tokens that a document may have: several times what introspection takes. Documents are read
 * by recursion, and one of twice as many, all of them opening brackets, would exhaust the stack.
 */
const MAXIMUM_TOKENS = 1000;

/** Refuses a document of more tokens, as one that doesn't parse, before it is read to its end. */
export function useDocumentLimit(): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: string | Source, options?: ParseOptions) =>
        parse(source, { ...options, maxTokens: MAXIMUM_TOKENS }),
      );
    },
  };
}
