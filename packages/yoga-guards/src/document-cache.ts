import type { DocumentNode, ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';

/** With Yoga's own bound, 1024 documents of any size, callers could fill 500 MB. */
const MAX_BYTES = 30_000_000;

/** What a parsed document takes at most. */
const BYTES_PER_TOKEN = 1000;
const BYTES_PER_CHARACTER = 2;

export interface DocumentCache {
  readonly plugin: Plugin;
  /** The document of a text that was valid before. */
  readonly find: (text: string) => DocumentNode | undefined;
}

/**
 * Caches valid documents parsed, since most are sent again. Rejected ones aren't cached: their errors retain everything that
 * was in use when they were made, and rejecting a document again takes no longer than the first time.
 */
export function createDocumentCache(): DocumentCache {
  const valid = new LRUCache<string, DocumentNode>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ tokenCount = 1 }, text) =>
      BYTES_PER_TOKEN * tokenCount + BYTES_PER_CHARACTER * text.length,
  });
  const plugin: Plugin = {
    onParse({ params: { source }, setParsedDocument }) {
      const document = valid.get(String(source));
      if (document !== undefined) {
        setParsedDocument(document);
      }
    },
    onValidate({ context, params, setResult }) {
      if (valid.peek(context.params.query ?? '') === params.documentAST) {
        setResult([]);
      }
    },
    // Only valid documents come to be executed.
    onExecute({ args, context }) {
      const executed: ExecutionArgs = args;
      const text = context.params.query ?? '';
      if (valid.peek(text) !== executed.document) {
        valid.set(text, executed.document);
      }
    },
  };
  return { plugin, find: (text) => valid.get(text) };
}
