import type { DocumentNode, ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';

/**
 * Bytes that the documents which are kept take in all, about. With Yoga's own bound, 1024 documents of whatever size,
 * callers could fill 500 MB with them.
 */
const ALL = 30_000_000;

/** Bytes that one takes at most for each of its tokens and for each character of its text. */
const TOKEN = 1000;
const CHARACTER = 2;

/**
 * Keeps valid documents parsed, since most are sent again. Of others nothing is kept, errors least of all: they hold
 * on to everything that was in use when they were made. To refuse a document again takes no longer than the first time.
 */
export function useDocumentCache(): Plugin {
  const valid = new LRUCache<string, DocumentNode>({
    maxSize: ALL,
    sizeCalculation: ({ tokenCount = 1 }, text) => TOKEN * tokenCount + CHARACTER * text.length,
  });
  /** Of what comes to be executed, which has been validated. */
  const keep = (text: string, { document }: ExecutionArgs) => {
    if (valid.peek(text) !== document) {
      valid.set(text, document);
    }
  };
  return {
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
    onExecute({ args, context }) {
      keep(context.params.query ?? '', args);
    },
  };
}
